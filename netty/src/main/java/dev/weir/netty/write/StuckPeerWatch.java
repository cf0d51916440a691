package dev.weir.netty.write;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Notices a peer that takes little of what is queued for it, however little that is. Looks once in
 * each interval: the peer is stuck if it has taken less than half of what was queued at its start,
 * and never everything. So what a peer may keep queued while nothing is added halves with each
 * interval. Used on one event loop.
 */
final class StuckPeerWatch implements Runnable {
  private final EventExecutor executor;
  private final long intervalNanos;
  private final Runnable onLook;
  private long queuedBytes;
  private long startBytes;
  private long takenBytes;
  private @Nullable Future<?> timer;

  /**
   * Watches nothing yet.
   *
   * @param onLook runs at the end of each interval, and is to {@link #observe} first; the next
   *     interval begins after it
   */
  StuckPeerWatch(EventExecutor executor, long intervalNanos, Runnable onLook) {
    this.executor = executor;
    this.intervalNanos = intervalNanos;
    this.onLook = onLook;
  }

  /** Tells what is queued now, whenever it may have changed. */
  void observe(long bytes) {
    if (bytes == 0) {
      // The rest of the interval says nothing of what is queued in it.
      startBytes = 0;
    } else if (bytes < queuedBytes) {
      takenBytes += queuedBytes - bytes;
    }
    queuedBytes = bytes;
    if (bytes > 0 && timer == null) {
      begin();
    }
  }

  /** Whether the interval that ends now has shown the peer to be stuck. */
  boolean isStuck() {
    return takenBytes < (startBytes + 1) / 2;
  }

  void stop() {
    queuedBytes = 0;
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void begin() {
    startBytes = queuedBytes;
    takenBytes = 0;
    try {
      timer = executor.schedule(this, intervalNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException loopEnds) {
      // And closes its channels.
    }
  }

  /** The interval has ended. */
  @Override
  public void run() {
    onLook.run();
    // Still set, so that the look began nothing; or stopped by it.
    if (timer != null) {
      timer = null;
      if (queuedBytes > 0) {
        begin();
      }
    }
  }
}
