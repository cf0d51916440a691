package dev.weir.cache.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.testing.Seeds;
import dev.weir.cache.testing.TestPool;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Random use against plain objects; the accounting equals a full walk at every step. */
class LogCacheModelTest {
  private static final int STEPS = 3_000;
  private static final long CAPACITY = 4 << 20;

  @Test
  void accountingEqualsAFullWalkAtEveryStep() {
    Seeds.forSeeds(getClass(), 6, LogCacheModelTest::run);
  }

  private static void run(SplittableRandom random) {
    try (TestPool pool = new TestPool(64 << 20)) {
      LogModel model = new LogModel(pool, LogCacheOptions.withCapacity(CAPACITY));
      List<CacheSlice> slices = new ArrayList<>();
      boolean small = random.nextBoolean();
      int refused = 0;
      for (int step = 0; step < STEPS; step++) {
        long stream = random.nextInt(small ? 50 : 5);
        switch (random.nextInt(20)) {
          case 0 -> model.flush(model.sequence - random.nextInt(20));
          case 1 -> model.flush(model.flushed + random.nextInt(50));
          case 2 -> truncateBefore(model, random, stream);
          case 3 -> truncateFrom(model, random, stream);
          case 4 -> {
            if (random.nextInt(5) == 0) {
              model.cache.delete(stream);
              model.streams.remove(stream);
            }
          }
          case 5 -> {
            if (slices.size() < 6) {
              hold(model, slices, stream);
            }
          }
          case 6 -> {
            if (!slices.isEmpty()) {
              slices.remove(random.nextInt(slices.size())).release();
            }
          }
          default -> {
            int bytes = 1 + random.nextInt(1 << random.nextInt(1, small ? 14 : 18));
            int gap = random.nextInt(30) == 0 ? 5 : 0;
            if (!model.put(stream, gap, 1 + random.nextInt(9), bytes)) {
              refused++;
              assertThat(model.cache.figures().refusedPuts()).isEqualTo(refused);
            }
          }
        }
        model.syncEvictions();
        model.checkFigures();
        long from = random.nextInt(2_000);
        model.checkRead(stream, from, from + 1 + random.nextInt(100), random.nextInt(50_000));
        assertThat(pool.parent.chargedBytes()).isLessThanOrEqualTo(CAPACITY + (4L << 20));
      }
      slices.forEach(CacheSlice::release);
      model.cache.close();
    }
  }

  private static void hold(LogModel model, List<CacheSlice> slices, long stream) {
    try (LogRead read = model.cache.read(stream, 0, Long.MAX_VALUE, 10_000)) {
      read.batches().forEach(batch -> slices.add(batch.bytes().retain()));
    }
  }

  private static void truncateBefore(LogModel model, SplittableRandom random, long stream) {
    List<LogModel.Batch> batches = model.streams.get(stream);
    if (batches != null) {
      long offset = batches.get(random.nextInt(batches.size())).base() + random.nextInt(2);
      model.cache.truncateBefore(stream, offset);
      batches.removeIf(batch -> batch.end() <= offset);
    }
  }

  private static void truncateFrom(LogModel model, SplittableRandom random, long stream) {
    List<LogModel.Batch> batches = model.streams.get(stream);
    if (batches != null) {
      long offset = batches.get(random.nextInt(batches.size())).base();
      model.cache.truncateFrom(stream, offset);
      batches.removeIf(batch -> batch.base() >= offset);
    }
  }
}
