package dev.weir.netty.write;

import dev.weir.netty.loop.LoopTime;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Notices when a channel has had much queued for long without interruption. A queue that falls
 * below the mark costs nothing: the timer finds that when it runs out. Used on one event loop.
 */
final class SlowPeerWatch implements Runnable {
  private final EventExecutor executor;
  private final long timeNanos;
  private final Runnable onSlow;
  private boolean above;

  /** Whether it has run out for as long as the queue has been above. */
  private boolean told;

  private long aboveSinceNanos;
  private @Nullable Future<?> timer;

  /**
   * Watches nothing yet.
   *
   * @param onSlow runs when the time is over, and is to {@link #observe} first: the queue may have
   *     fallen since it was last told of
   */
  SlowPeerWatch(EventExecutor executor, long timeNanos, Runnable onSlow) {
    this.executor = executor;
    this.timeNanos = timeNanos;
    this.onSlow = onSlow;
  }

  /** Tells whether more than the mark is queued now. */
  void observe(boolean isAbove) {
    if (isAbove && !above) {
      aboveSinceNanos = LoopTime.nanoTime(executor);
    }
    above = isAbove;
    told &= isAbove;
    if (isAbove && timer == null && !told) {
      schedule(aboveSinceNanos + timeNanos - LoopTime.nanoTime(executor));
    }
  }

  void stop() {
    above = false;
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void schedule(long delayNanos) {
    try {
      timer = executor.schedule(this, delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException loopEnds) {
      // And closes its channels.
    }
  }

  /** The timer has run out. */
  @Override
  public void run() {
    timer = null;
    if (!above) {
      return;
    }
    long restNanos = timeNanos - (LoopTime.nanoTime(executor) - aboveSinceNanos);
    if (restNanos > 0) {
      schedule(restNanos);
    } else {
      told = true;
      onSlow.run();
    }
  }
}
