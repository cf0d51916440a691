package dev.weir.netty.http;

import dev.weir.netty.loop.LoopTime;
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
  /** What must come within the timeout at least, which is no burden for the slowest of lines. */
  private static final int LEAST_BYTES = 1 << 10;

  /**
   * And this part of the memory that the body holds. Where a body holds all of it from the start,
   * as one of announced length may, it comes within so many timeouts, two hours by default: 64 MiB
   * take 9 KB/s. One that holds more as it comes, as a chunked one does, has longer, as it has held
   * less: 64 MiB come within 1,500 timeouts, half a day, and 256 KiB within the same two hours.
   */
  private static final int SHARE_OF_HELD = 256;

  /** A century: no longer ones fit into nanoseconds, nor does anybody wait for them. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final EventExecutor executor;
  private final long timeoutNanos;
  private final Runnable onStall;
  private long lastProgressNanos;
  private long pausedNanos;
  private int bytesSinceProgress;
  private @Nullable ScheduledFuture<?> timer;

  StallWatch(EventExecutor executor, Duration timeout, Runnable onStall) {
    this.executor = executor;
    this.timeoutNanos = (timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout).toNanos();
    this.onStall = onStall;
    this.lastProgressNanos = LoopTime.nanoTime(executor);
  }

  /** Begins to count anew. */
  void restart() {
    bytesSinceProgress = 0;
    lastProgressNanos = LoopTime.nanoTime(executor);
  }

  /**
   * Notes that so many bytes have come, which is progress together with those before them.
   *
   * @param heldBytes the memory that is held for the body
   */
  void received(int bytes, int heldBytes) {
    int leastBytes = Math.max(LEAST_BYTES, heldBytes / SHARE_OF_HELD);
    bytesSinceProgress += Math.min(bytes, leastBytes);
    if (bytesSinceProgress >= leastBytes) {
      restart();
    }
  }

  /** Starts watching, if it has not started. */
  void watch() {
    if (timer == null) {
      schedule(timeoutNanos - (LoopTime.nanoTime(executor) - lastProgressNanos));
    }
  }

  /** Stops watching, and time: what passes until {@link #unpause} does not count. */
  void pause() {
    stop();
    pausedNanos = LoopTime.nanoTime(executor);
  }

  /** Has time go on; whoever watches begins again. */
  void unpause() {
    excuse(LoopTime.nanoTime(executor) - pausedNanos);
  }

  /** Does not count so much of the time that has passed since there was progress. */
  void excuse(long nanos) {
    lastProgressNanos += nanos;
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
    long restNanos = timeoutNanos - (LoopTime.nanoTime(executor) - lastProgressNanos);
    if (restNanos <= 0) {
      onStall.run();
    } else {
      schedule(restNanos);
    }
  }
}
