package dev.weir.netty.http;

import dev.weir.netty.log.FailureLog;
import dev.weir.netty.write.AbortiveClose;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.function.Consumer;

/**
 * Hears whether the parts of responses leave: behind the end of one the head of the next request is
 * waited for; behind a part that is lost nothing must follow. It hears before those who write.
 *
 * <p>Used on the channel's event loop, and told on any thread.
 */
final class LossDetector {
  private static final FailureLog LOST = new FailureLog(LossDetector.class);

  private final Consumer<ChannelFuture> onSent;
  private final Consumer<ChannelHandlerContext> onLost;
  private final Part part = new Part();
  private final End end = new End();
  private @SuppressWarnings("NullAway.Init") ChannelHandlerContext context;
  private volatile boolean listening;
  private volatile boolean lost;
  private volatile boolean reported;
  private boolean closes;

  /**
   * Hears nothing yet.
   *
   * @param onSent hears, on any thread, that the end of a response has left
   * @param onLost hears, on the event loop, that a part has not, before the channel is closed
   */
  LossDetector(Consumer<ChannelFuture> onSent, Consumer<ChannelHandlerContext> onLost) {
    this.onSent = onSent;
    this.onLost = onLost;
  }

  /** Begins with a channel; before anything else. */
  void begin(ChannelHandlerContext ctx) {
    context = ctx;
    listening = true;
  }

  /** Tells nobody of losses any more: with one the channel is closed. */
  void end() {
    listening = false;
  }

  /**
   * How a part is to be written; a loss in the middle of that is the caller's to see to.
   *
   * @param writer hears behind this of what becomes of it
   */
  PartPromise promiseFor(ChannelPromise writer, boolean ends) {
    return new PartPromise(context, writer, ends ? end : part);
  }

  /** Whether a part is lost, or is just being lost: nothing is to be written or flushed. */
  boolean isAnyLost() {
    return lost;
  }

  /** A part that others follow. */
  private class Part implements PartPromise.Watcher {
    @Override
    public final void failing() {
      if (context.channel().isActive()) {
        lost = true; // Otherwise it is the client who has gone.
      }
    }

    @Override
    public void done(PartPromise part) {
      // A handler nearer to the wire may have closed the channel for the first.
      if (!part.isSuccess() && lost && (!reported || context.channel().isActive())) {
        report(part);
        endChannel();
      }
    }

    private void endChannel() {
      if (context.executor().inEventLoop()) {
        tellOfLoss();
      } else {
        context.executor().execute(LossDetector.this::tellOfLoss);
      }
    }
  }

  /** The last part. */
  private final class End extends Part {
    @Override
    public void done(PartPromise part) {
      super.done(part);
      if (part.isSuccess()) {
        onSent.accept(part);
      }
    }
  }

  /** Tells operators of a lost part, unless it is the client who has gone. */
  void report(ChannelFuture part) {
    if (lost) {
      reported = true;
      LOST.report("closed: a part of a response could not be written", part.cause());
    }
  }

  private void tellOfLoss() {
    if (listening) {
      onLost.accept(context);
    }
    closeNow(); // What was written behind the part may be about to leave.
  }

  /**
   * Closes the channel, but not from here: the application may be writing still, and a {@link
   * dev.weir.netty.write.WriteGate} tells the reason first. Once more does nothing.
   */
  void closeSoon() {
    if (!closes) {
      closes = true;
      context.executor().execute(() -> AbortiveClose.close(context));
    }
  }

  /** As {@link #closeSoon}, and at once: others have been written behind the part. */
  void closeNow() {
    closes = true;
    AbortiveClose.close(context);
  }
}
