package dev.weir.memory;

import dev.weir.memory.callback.FirstFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks reclaimers while grants wait: one question after the other, each by a thread of its own,
 * since nobody knows how long it takes. The purger drives it: after each answer it looks whether
 * the grants can be served.
 *
 * <p>The purger only, but for what the threads write into a {@link Round}.
 */
final class ReclaimRounds {
  /** How long after the beginning of a round the next may begin: 100 ms. */
  private static final long PAUSE_NANOS = 100_000_000;

  private final Reclaimers reclaimers;
  private final FirstFailure failures = new FirstFailure("starting a thread for a reclaimer");
  private @Nullable Round round;

  ReclaimRounds(Reclaimers reclaimers) {
    this.reclaimers = reclaimers;
  }

  /** All reclaimers, one after the other. */
  private static final class Round {
    final List<ReclaimerCalls> inOrder;
    final long begunNanos;

    /** A question is being asked: until it is not, the next two fields are its thread's. */
    volatile boolean isAsking;

    int next;
    int asks;

    Round(List<ReclaimerCalls> inOrder, long begunNanos) {
      this.inOrder = inOrder;
      this.begunNanos = begunNanos;
    }

    boolean isOver() {
      return !isAsking && next == inOrder.size();
    }

    void proceed(boolean mayHaveMore) {
      asks++;
      if (!mayHaveMore || asks == Reclaimers.MAX_ASKS) {
        next++;
        asks = 0;
      }
    }
  }

  /**
   * Asks the next question, if none is under way. A new round begins after the pause, also where
   * the last one is stuck in a reclaimer: that one is skipped then.
   *
   * @param shortages what those want who wait
   * @param answered is run by the thread after an answer that gives hope
   */
  void ask(long nowNanos, List<Shortage> shortages, Runnable answered) {
    Round current = round;
    if (current == null || nowNanos - current.begunNanos >= PAUSE_NANOS) {
      current = new Round(reclaimers.inOrder(), nowNanos);
      round = current;
    }
    while (!current.isAsking && !current.isOver()) {
      ReclaimerCalls reclaimer = current.inOrder.get(current.next);
      long bytes = 0;
      for (Shortage shortage : shortages) {
        bytes += reclaimer.helps(shortage.full()) ? shortage.bytes() : 0;
      }
      if (bytes == 0) {
        current.proceed(/* mayHaveMore= */ false);
      } else {
        start(current, reclaimer, Reclaimers.wantedBytes(bytes, current.asks), answered);
        return;
      }
    }
  }

  private void start(Round current, ReclaimerCalls reclaimer, long bytes, Runnable answered) {
    current.isAsking = true;
    try {
      Thread.ofPlatform()
          .name("weir-reclaimer")
          .daemon()
          .inheritInheritableThreadLocals(false)
          .start(() -> {
            boolean hope = false;
            try {
              hope = reclaimer.ask(bytes, new Patience());
              if (hope) {
                answered.run();
              }
            } finally {
              current.proceed(hope);
              current.isAsking = false;
              Purger.wake();
            }
          });
    } catch (OutOfMemoryError e) {
      // No thread can be had now; the next round tries again.
      failures.report(e);
    }
  }
}
