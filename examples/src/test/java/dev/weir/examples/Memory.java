package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.WeirAllocator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A pool that an example serves from, and what it has to show at the end. */
final class Memory implements AutoCloseable {
  static final long LIMIT_BYTES = 16 << 20;

  /** Only a service that hangs keeps a test waiting for so long. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  final WeirAllocator allocator = WeirAllocator.withLimit(LIMIT_BYTES);

  long liveBytes() {
    return allocator.pool().liveBlockBytes() + allocator.pool().rootBudget().heapBytes();
  }

  void awaitAtLeast(long bytes) {
    await("live bytes", () -> liveBytes() >= bytes);
  }

  /** Everything went back, and there was never more of it than the limit. */
  void assertBoundedAndEmpty() {
    await("no live bytes", () -> liveBytes() == 0);
    assertThat(allocator.pool().peakResidentBytes()).isBetween(1L, LIMIT_BYTES);
  }

  void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    boolean holds = condition.getAsBoolean();
    while (!holds && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
      holds = condition.getAsBoolean();
    }
    assertThat(holds).as(what).isTrue();
  }

  @Override
  public void close() {
    allocator.close();
    allocator.pool().close();
  }
}
