package dev.weir.server.http;

import dev.weir.netty.write.FailStopTls;
import dev.weir.server.tls.Tls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;

/**
 * Makes TLS look like a socket to the handlers behind it: a client's {@code close_notify} is the
 * end of its side, as a FIN is, and whatever goes wrong is one exception, the first.
 */
final class TlsSession extends ChannelInboundHandlerAdapter {
  private final SslHandler tls;
  private boolean established;
  private boolean inputEnded;
  private boolean outputEnded;
  private boolean failed;

  private TlsSession(SslHandler tls) {
    this.tls = tls;
  }

  /** Adds TLS to a pipeline, with buffers of the channel's own allocator. */
  static void addTo(Channel channel, @Nullable Tls tls) {
    if (tls != null) {
      SslHandler handler = tls.newHandler(channel.alloc());
      channel.pipeline().addLast(new RecordWatch());
      FailStopTls.addTo(channel.pipeline(), handler);
      channel.pipeline().addLast(new TlsSession(handler));
    }
  }

  /** Whether what a client has sent ends within a record: nobody behind TLS hears of that. */
  static boolean isHalfway(Channel channel) {
    RecordWatch records = channel.pipeline().get(RecordWatch.class);
    return records != null && records.isWithinRecord();
  }

  /**
   * Ends this side of a connection in whose output nothing waits. With TLS, what the client still
   * sends is dropped as it is from here on; without it, the caller has to read.
   *
   * @return whether the caller has to read
   */
  static boolean endOutput(Channel channel, long maxDroppedBytes) {
    TlsSession session = channel.pipeline().get(TlsSession.class);
    if (session == null) {
      shutDown(channel);
      return true;
    }
    session.end(channel, maxDroppedBytes);
    return false;
  }

  private void end(Channel channel, long maxDroppedBytes) {
    if (!outputEnded) {
      outputEnded = true;
      // An engine that has ended its side may take no more input, and what it does not take would
      // pile up in front of it.
      channel
          .pipeline()
          .addBefore(channel.pipeline().context(tls).name(), null, new DropInput(maxDroppedBytes));
      tls.closeOutbound().addListener(done -> shutDown(channel));
    }
  }

  private static void shutDown(Channel channel) {
    if (channel instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    switch (event) {
      case SslHandshakeCompletionEvent shaken -> {
        established = shaken.isSuccess();
        if (established) {
          ctx.fireUserEventTriggered(shaken);
        } else {
          fail(ctx, shaken.cause());
        }
      }
      case SslCloseCompletionEvent closed -> {
        if (closed.isSuccess()) {
          endInput(ctx, ChannelInputShutdownEvent.INSTANCE);
        }
      }
      case SslCompletionEvent other -> {
        // Names that clients ask for, and the like: nobody needs them.
      }
      case ChannelInputShutdownEvent end -> endInput(ctx, end);
      default -> ctx.fireUserEventTriggered(event);
    }
  }

  private void endInput(ChannelHandlerContext ctx, Object event) {
    if (!established) {
      ctx.close();
    } else if (!inputEnded && !outputEnded) {
      inputEnded = true;
      ctx.fireUserEventTriggered(event);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(ctx, cause);
  }

  private void fail(ChannelHandlerContext ctx, Throwable cause) {
    if (!failed) {
      failed = true;
      ctx.fireExceptionCaught(cause);
    }
  }
}
