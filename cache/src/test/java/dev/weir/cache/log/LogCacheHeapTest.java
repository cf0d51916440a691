package dev.weir.cache.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.testing.TestPool;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What cached records cost of the Java heap: as figures tell, and as the collector finds. */
class LogCacheHeapTest {
  private static final int RECORDS = 1_000_000;
  private static final int STREAMS = 100;

  @Test
  void aRecordOf16BytesCostsAtMost16BytesOfJavaHeap() {
    MemorySegment record = MemorySegment.ofArray(new byte[16]);
    try (TestPool pool = new TestPool(256 << 20);
        LogCache cache =
            LogCache.create(pool.pool, pool.parent, LogCacheOptions.withCapacity(128 << 20))) {
      cache.put(0, 0, 0, 1, record);
      long before = usedHeap();
      for (int i = 1; i <= RECORDS; i++) {
        cache.put(i, i % STREAMS, i, 1, record);
      }
      long used = usedHeap() - before;

      LogCacheFigures figures = cache.figures();
      System.out.printf(
          "Java heap per record: %.1f by figures, %.1f by the collector; charged per record %.1f%n",
          (double) figures.indexHeapBytes() / RECORDS,
          (double) used / RECORDS,
          (double) figures.chargedBytes() / RECORDS);
      assertThat(figures.batches()).isEqualTo(RECORDS + 1);
      assertThat(figures.indexHeapBytes()).isLessThanOrEqualTo(16L * RECORDS);
      assertThat(used).isLessThanOrEqualTo(16L * RECORDS);
    }
  }

  private static long usedHeap() {
    var memory = ManagementFactory.getMemoryMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      memory.gc();
      least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}
