package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Has a connection that was set up for HTTP/1 speak HTTP/2 if its client does: with TLS they have
 * agreed on it, in the clear the client begins with a preface that no request begins with. Goes in
 * front of the handlers of HTTP/1, and is gone when it is decided.
 */
final class ProtocolSwitch extends ChannelInboundHandlerAdapter {
  private static final ByteBuf PREFACE = Http2CodecUtil.connectionPrefaceBuf();

  private final Http2Setup http2;
  private final ConnectionMemory memory;
  private final List<ChannelHandler> http1;
  private boolean decided;
  private @Nullable ByteBuf held;

  /**
   * Prepares for either.
   *
   * @param http1 what is removed for HTTP/2
   */
  ProtocolSwitch(Http2Setup http2, ConnectionMemory memory, List<ChannelHandler> http1) {
    this.http2 = http2;
    this.memory = memory;
    this.http1 = http1;
  }

  /** Whether a client of the connection has begun with a preface, and not ended it. */
  static boolean isHalfway(Channel channel) {
    ProtocolSwitch undecided = channel.pipeline().get(ProtocolSwitch.class);
    return undecided != null && undecided.held != null;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (decided) {
      ctx.fireChannelRead(message);
      return;
    }
    ByteBuf before = held;
    ByteBuf bytes = (ByteBuf) message;
    held = null;
    if (before != null) {
      bytes = merged(ctx, before, bytes);
    }
    int length = Math.min(bytes.readableBytes(), PREFACE.readableBytes());
    boolean isPreface =
        ByteBufUtil.equals(bytes, bytes.readerIndex(), PREFACE, PREFACE.readerIndex(), length);
    if (isPreface && length < PREFACE.readableBytes()) {
      held = bytes;
    } else {
      decide(ctx, isPreface, bytes);
    }
  }

  /** Both as one; where that fails, both are released. */
  private static ByteBuf merged(ChannelHandlerContext ctx, ByteBuf before, ByteBuf bytes) {
    try {
      return ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), before, bytes);
    } catch (Throwable failure) {
      // What is new was released there.
      before.release();
      throw failure;
    }
  }

  private void decide(ChannelHandlerContext ctx, boolean isHttp2, @Nullable ByteBuf bytes) {
    decided = true;
    try {
      if (isHttp2) {
        http1.forEach(ctx.pipeline()::remove);
        http2.addTo(ctx.pipeline(), memory);
      }
    } catch (Throwable failure) {
      if (bytes != null) {
        bytes.release();
      }
      // Half of either protocol serves nobody.
      ctx.close();
      throw failure;
    }
    if (bytes != null) {
      ctx.fireChannelRead(bytes);
    }
    if (!ctx.isRemoved()) {
      ctx.pipeline().remove(this);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent && !decided) {
      SslHandler tls = ctx.pipeline().get(SslHandler.class);
      boolean agreed =
          tls != null && ApplicationProtocolNames.HTTP_2.equals(tls.applicationProtocol());
      decide(ctx, agreed, null);
      if (agreed) {
        ctx.channel().read();
      }
      return;
    }
    if (event instanceof ChannelInputShutdownEvent && held != null) {
      ByteBuf bytes = held;
      held = null;
      decide(ctx, /* isHttp2= */ false, bytes);
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    if (held != null) {
      held.release();
      held = null;
    }
  }
}
