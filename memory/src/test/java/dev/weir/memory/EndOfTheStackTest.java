package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.Block;
import dev.weir.memory.testing.Workers;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that recurses without end, takes a block at each level, and runs out of stack. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EndOfTheStackTest {
  private static final int OVERFLOWS = 400;
  private static final long STACK_BYTES = 512 << 10;

  private final Pool pool = Pool.create(PoolOptions.withLimit(256 << 20));

  /** Where a lock is lost, the thread itself, the trim or the purger never comes to an end. */
  @Test
  void leavesNoLockHeld() throws InterruptedException {
    AtomicInteger overflows = new AtomicInteger();
    Thread thread = new Thread(null, () -> overflow(overflows), "endless", STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
    thread.join();

    assertThat(overflows).hasValue(OVERFLOWS);
    Workers workers = new Workers();
    workers.platform(pool::trim);
    workers.join();
    assertThat(pool.tryAllocate(100)).isNotNull();
  }

  private void overflow(AtomicInteger overflows) {
    for (int i = 0; i < OVERFLOWS; i++) {
      try {
        takeAtEachLevel(0);
      } catch (StackOverflowError e) {
        overflows.incrementAndGet();
      }
    }
  }

  @SuppressWarnings("InfiniteRecursion") // which is what is tested
  private void takeAtEachLevel(int level) {
    Block block = pool.allocate(100 + level % 8_000);
    try {
      takeAtEachLevel(level + 1);
    } finally {
      block.release();
    }
  }
}
