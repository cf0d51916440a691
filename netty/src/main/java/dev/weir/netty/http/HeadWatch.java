package dev.weir.netty.http;

import dev.weir.netty.flow.ReadHolds;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notices when the head of the next request does not come: nothing of it, or not all. The time
 * begins with the connection, and anew when the last response has been sent; that in which the
 * channel is held does not count. A stream of HTTP/2 begins with its head, and is not watched.
 *
 * <p>Used on the channel's event loop. What it costs a request is two clock reads: the timer of one
 * connection runs on through all its requests.
 */
final class HeadWatch {
  private final Duration timeout;
  private final Consumer<ChannelHandlerContext> onLate;
  private @Nullable ChannelHandlerContext context;
  private @Nullable StallWatch watch;
  private long heldNanos;
  private boolean readBroughtSomething;
  private boolean begun;

  /**
   * Watches nothing yet.
   *
   * @param onLate hears that the time is over, also where something else than a head is awaited
   */
  HeadWatch(Duration timeout, Consumer<ChannelHandlerContext> onLate) {
    this.timeout = timeout;
    this.onLate = onLate;
  }

  /** Begins to watch the channel, if it is open, or to count anew. */
  void begin(ChannelHandlerContext ctx) {
    if (!ctx.channel().isActive() || ctx.channel() instanceof Http2StreamChannel) {
      return;
    }
    context = ctx;
    if (watch == null) {
      watch = new StallWatch(ctx.executor(), timeout, this::runOut);
    }
    restart();
  }

  /** The last response has left: counts anew. Any thread. */
  void responseSent() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return;
    }
    if (ctx.executor().inEventLoop()) {
      restart();
    } else {
      ctx.executor().execute(this::restart);
    }
  }

  /** Counts anew. */
  private void restart() {
    ChannelHandlerContext ctx = context;
    StallWatch current = watch;
    if (ctx == null || current == null) {
      return;
    }
    heldNanos = ReadHolds.of(ctx.channel()).heldNanos();
    current.restart();
    current.watch();
  }

  /** Watches no more. */
  void end() {
    context = null;
    if (watch != null) {
      watch.stop();
      watch = null;
    }
  }

  /** A read has brought a message, or an event: what there was of the head has become that. */
  void brought() {
    readBroughtSomething = true;
    begun = false;
  }

  /**
   * A read that has brought nothing else has brought a part of a head, or nothing at all, as far as
   * can be told behind the codec: who is idle then hears that its head has not come.
   */
  void readComplete() {
    begun |= !readBroughtSomething;
    readBroughtSomething = false;
  }

  /** Whether a part of the head has come. */
  boolean hasBegun() {
    return begun;
  }

  private void runOut() {
    ChannelHandlerContext ctx = context;
    StallWatch current = watch;
    if (ctx == null || current == null) {
      return;
    }
    ReadHolds holds = ReadHolds.of(ctx.channel());
    long unreadNanos = holds.heldNanos() - heldNanos;
    if (holds.held()) {
      restart();
    } else if (unreadNanos > 0) {
      heldNanos += unreadNanos;
      current.excuse(unreadNanos);
      current.watch();
    } else {
      onLate.accept(ctx);
    }
  }
}
