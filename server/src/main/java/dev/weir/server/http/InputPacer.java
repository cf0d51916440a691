package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Has the decoder make one message for each that is asked for. What a client sends ahead of that
 * stays in the one buffer that the socket was read into: as objects, requests and pieces of a few
 * bytes would take dozens of times the memory, and none of it the pool's.
 *
 * <p>TLS gives what it read of a socket in pieces, a record each: those that nobody has asked for
 * yet are held here, in one buffer too.
 *
 * <p>The client's end of its side is passed on when everything before it is used up. From then on
 * the socket is not read: epoll, which no longer watches it for input, would close it for the
 * asking.
 */
final class InputPacer extends ChannelDuplexHandler {
  private final StrictRequestDecoder decoder;
  private boolean wanted;
  private boolean decoding;
  private boolean ended;
  private @Nullable ByteBuf held;
  private @Nullable Object endEvent;

  InputPacer(StrictRequestDecoder decoder) {
    this.decoder = decoder;
  }

  /** Asks for one message. */
  @Override
  public void read(ChannelHandlerContext ctx) {
    wanted = true;
    goOn(ctx);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object bytes) {
    if (decoding || !wanted || held != null) {
      hold(ctx, (ByteBuf) bytes);
    } else {
      decode(ctx, bytes);
    }
    goOn(ctx);
  }

  private void hold(ChannelHandlerContext ctx, ByteBuf bytes) {
    ByteBuf before = held;
    held =
        before == null
            ? bytes
            : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), before, bytes);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    if (held != null) {
      held.release();
      held = null;
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      ended = true;
      endEvent = event;
      if (wanted) {
        goOn(ctx);
      } else if (!mayHaveMessage()) {
        passEndOn(ctx);
      }
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  /** Serves a request for a message; one that is made meanwhile, on the same stack, waits here. */
  private void goOn(ChannelHandlerContext ctx) {
    while (!decoding && wanted && mayHaveMessage()) {
      ByteBuf next = held;
      held = null;
      decode(ctx, next == null ? Unpooled.EMPTY_BUFFER : next);
    }
    if (decoding || !wanted) {
      return;
    }
    if (ended) {
      passEndOn(ctx);
    } else {
      decoder.compact();
      ctx.read();
    }
  }

  private boolean mayHaveMessage() {
    return held != null || decoder.mayHaveMessage();
  }

  private void decode(ChannelHandlerContext ctx, Object bytes) {
    boolean asked = wanted;
    long before = decoder.messages();
    wanted = false;
    decoding = true;
    ctx.fireChannelRead(bytes);
    decoding = false;
    wanted |= asked && decoder.messages() == before;
  }

  private void passEndOn(ChannelHandlerContext ctx) {
    Object event = endEvent;
    endEvent = null;
    if (event != null) {
      ctx.fireUserEventTriggered(event);
    }
  }
}
