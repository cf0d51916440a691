package dev.weir.memory;

import dev.weir.memory.array.ArrayPool;
import dev.weir.memory.callback.FirstFailures;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * What the purger does for the arrays of a pool: looks twice in a decay which heaps are idle, and
 * drops the arrays that have been kept for two decays.
 */
final class ArrayChores implements Purger.Chores {
  /** Heaps for the threads that have none of their own: so many for each processor. */
  private static final int STRIPES_PER_PROCESSOR = 2;

  /** Two decays: with one, a steady mix of sizes made and dropped twice as many arrays. */
  private static final int TICKS_KEPT = 4;

  private final ArrayPool arrays;
  private final long tickNanos;
  private final FirstFailures failures;
  private volatile boolean closed;

  /**
   * Of new arrays.
   *
   * @param name the pool's
   * @param limitBytes how many bytes of arrays it may hold
   */
  ArrayChores(String name, LongSupplier limitBytes, Duration decay) {
    tickNanos = decay.toNanos() / 2;
    failures = new FirstFailures("looking after heap buffers of pool '%s'".formatted(name));
    arrays =
        new ArrayPool(
            limitBytes,
            Runtime.getRuntime().availableProcessors() * STRIPES_PER_PROCESSOR,
            () -> Purger.lookAfter(this));
  }

  ArrayPool arrays() {
    return arrays;
  }

  void close() {
    closed = true;
    arrays.close();
  }

  @Override
  public long doChores(long nowNanos) {
    arrays.dropIdle(nowNanos - TICKS_KEPT * tickNanos);
    return nowNanos + tickNanos;
  }

  @Override
  public void failed(Throwable failure) {
    failures.report(failure);
  }

  @Override
  public boolean isDone() {
    return closed;
  }
}
