package dev.weir.netty.http;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Notices when a body makes no progress for a while; a few bytes are none. Progress costs one clock
 * read: the timer runs out, finds that there was progress, and starts again for the rest. Used on
 * one event loop.
 */
final class StallWatch {
  /**
   * What must come within the timeout: 1 KiB is no burden for the slowest of lines, and ends who
   * sends a byte a second to hold much memory for long.
   */
  private static final int LEAST_BYTES = 1 << 10;

  private final EventExecutor executor;
  private final long timeoutNanos;
  private final Runnable onStall;
  private long lastProgressNanos;
  private long pausedNanos;
  private int bytesSinceProgress;
  private @Nullable ScheduledFuture<?> timer;

  StallWatch(EventExecutor executor, Duration timeout, Runnable onStall) {
    this.executor = executor;
    this.timeoutNanos = timeout.toNanos();
    this.onStall = onStall;
    this.lastProgressNanos = executor.ticker().nanoTime();
  }

  /** Begins to count anew. */
  void restart() {
    bytesSinceProgress = 0;
    lastProgressNanos = executor.ticker().nanoTime();
  }

  /** Notes that so many bytes have come, which is progress together with those before them. */
  void received(int bytes) {
    bytesSinceProgress += Math.min(bytes, LEAST_BYTES);
    if (bytesSinceProgress >= LEAST_BYTES) {
      restart();
    }
  }

  /** Starts watching, if it has not started. */
  void watch() {
    if (timer == null) {
      schedule(timeoutNanos - (executor.ticker().nanoTime() - lastProgressNanos));
    }
  }

  /** Stops watching, and time: what passes until {@link #unpause} does not count. */
  void pause() {
    stop();
    pausedNanos = executor.ticker().nanoTime();
  }

  /** Has time go on; whoever watches begins again. */
  void unpause() {
    lastProgressNanos += executor.ticker().nanoTime() - pausedNanos;
  }

  /** Stops watching. */
  void stop() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void schedule(long delayNanos) {
    timer = executor.schedule(this::runOut, delayNanos, TimeUnit.NANOSECONDS);
  }

  private void runOut() {
    timer = null;
    long restNanos = timeoutNanos - (executor.ticker().nanoTime() - lastProgressNanos);
    if (restNanos > 0) {
      schedule(restNanos);
    } else {
      onStall.run();
    }
  }
}
