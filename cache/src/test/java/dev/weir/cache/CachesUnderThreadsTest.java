package dev.weir.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.block.BlockCache;
import dev.weir.cache.block.BlockCacheOptions;
import dev.weir.cache.block.BlockObject;
import dev.weir.cache.block.BlockReader;
import dev.weir.cache.block.BlockSource;
import dev.weir.cache.log.CachedBatch;
import dev.weir.cache.log.LogCache;
import dev.weir.cache.log.LogCacheOptions;
import dev.weir.cache.log.LogRead;
import dev.weir.cache.testing.TestPool;
import dev.weir.memory.Block;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both caches in a pool that is too small for them, used by several threads at once. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CachesUnderThreadsTest {
  private static final int PAGE = 64 << 10;
  private static final int STREAMS = 20;
  private static final int PUTS = 30_000;

  /** Fills pages on other threads, with failures now and then. */
  private static final class SlowSource implements BlockSource {
    private final ExecutorService threads;

    SlowSource(ExecutorService threads) {
      this.threads = threads;
    }

    @Override
    public String name() {
      return "slow";
    }

    @Override
    public Fetch fetch(String object, long offset, MemorySegment into) {
      CompletableFuture<Void> end =
          CompletableFuture.runAsync(
              () -> {
                if (offset / PAGE % 13 == 12) {
                  into.fill((byte) -1);
                  throw new CompletionException(new IOException("503"));
                }
                into.fill((byte) (offset / PAGE));
              },
              threads);
      return new Fetch() {
        @Override
        public CompletionStage<?> ended() {
          return end;
        }

        @Override
        public void cancel() {}
      };
    }
  }

  @Test
  void contentsAreRightAndNothingIsLost() throws Exception {
    try (TestPool pool = new TestPool(8 << 20);
        ExecutorService threads = Executors.newFixedThreadPool(7)) {
      LogCache log = LogCache.create(pool.pool, pool.parent, LogCacheOptions.withCapacity(6 << 20));
      BlockCache blocks =
          BlockCache.create(
              pool.pool, pool.parent, BlockCacheOptions.withCapacity(4 << 20).withPageBytes(PAGE));
      SlowSource source = new SlowSource(threads);
      List<Future<?>> actors = new ArrayList<>();
      Future<Long> writer = threads.submit(() -> write(log));
      actors.add(writer);
      for (int i = 0; i < 2; i++) {
        long seed = i;
        actors.add(threads.submit(() -> readLog(log, new SplittableRandom(seed), writer)));
        actors.add(
            threads.submit(() -> readBlocks(blocks, source, new SplittableRandom(seed), writer)));
      }
      actors.add(threads.submit(() -> allocate(pool, new SplittableRandom(9), writer)));
      for (Future<?> actor : actors) {
        actor.get();
      }

      assertThat(writer.get()).isPositive();
      assertThat(log.figures().hits()).isPositive();
      assertThat(blocks.figures().loads()).isPositive();
      log.checkInvariants();
      log.close();
      blocks.close();
      threads.shutdown();
      assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  /** Tells how many were put; what is refused is flushed and put again, or left out. */
  private static long write(LogCache log) {
    SplittableRandom random = new SplittableRandom(5);
    long[] ends = new long[STREAMS];
    long put = 0;
    for (int sequence = 1; sequence <= PUTS; sequence++) {
      int stream = random.nextInt(STREAMS);
      byte[] bytes = new byte[1 + random.nextInt(1 << random.nextInt(1, 15))];
      java.util.Arrays.fill(bytes, (byte) (stream + ends[stream]));
      if (log.tryPut(sequence, stream, ends[stream], 1, MemorySegment.ofArray(bytes))) {
        put++;
      } else {
        log.flushed(sequence - 1);
      }
      ends[stream]++;
      if (random.nextInt(500) == 0) {
        log.delete(stream);
      }
      if (random.nextInt(100) == 0) {
        log.flushed(sequence - random.nextInt(100));
      }
    }
    return put;
  }

  private static void readLog(LogCache log, SplittableRandom random, Future<?> until) {
    List<CacheSlice> held = new ArrayList<>();
    while (!until.isDone()) {
      long stream = random.nextInt(STREAMS);
      long start = random.nextInt(PUTS / STREAMS);
      try (LogRead read = log.read(stream, start, start + 20, 10_000)) {
        for (CachedBatch batch : read.batches()) {
          MemorySegment bytes = batch.bytes().segment();
          byte expected = (byte) (stream + batch.baseOffset());
          assertThat(bytes.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(expected);
          assertThat(bytes.get(ValueLayout.JAVA_BYTE, bytes.byteSize() - 1)).isEqualTo(expected);
          if (random.nextInt(8) == 0) {
            held.add(batch.bytes().retain());
          }
        }
      }
      while (held.size() > 5) {
        held.removeFirst().release();
      }
    }
    held.forEach(CacheSlice::release);
  }

  private static void readBlocks(
      BlockCache blocks, BlockSource source, SplittableRandom random, Future<?> until) {
    BlockObject object = new BlockObject(source, "object", 500L * PAGE);
    while (!until.isDone()) {
      try (BlockReader reader = blocks.reader(object)) {
        long page = random.nextInt(400);
        for (int i = 0; i < 20; i++) {
          CompletableFuture<CacheSlice> read = reader.read((page + i) * PAGE + 10, 1_000);
          if (random.nextInt(10) == 0 && read.cancel(false)) {
            continue;
          }
          try (CacheSlice slice = read.join()) {
            assertThat(slice.segment().get(ValueLayout.JAVA_BYTE, 500))
                .isEqualTo((byte) (page + i));
          } catch (CompletionException | CancellationException refused) {
            assertThat(read).isCompletedExceptionally();
          }
        }
      }
    }
  }

  private static void allocate(TestPool pool, SplittableRandom random, Future<?> until) {
    List<Block> held = new ArrayList<>();
    while (!until.isDone()) {
      Block block = pool.pool.tryAllocate(1 + random.nextInt(1 << 20));
      if (block != null) {
        held.add(block);
      }
      while (held.size() > 4) {
        held.removeFirst().release();
      }
    }
    held.forEach(Block::release);
  }
}
