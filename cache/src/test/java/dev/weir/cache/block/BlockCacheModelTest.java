package dev.weir.cache.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.testing.Seeds;
import dev.weir.cache.testing.TestPool;
import dev.weir.memory.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Random reads, cancels, failures, pressure and time; invariants at every step. */
class BlockCacheModelTest {
  private static final int PAGE = 64 << 10;
  private static final int PAGES = 12;

  private record Read(
      FakeSource source, String object, long offset, CompletableFuture<CacheSlice> future) {}

  @Test
  void aPageIsAtMostOnceAndNothingIsLost() {
    Seeds.forSeeds(getClass(), 8, BlockCacheModelTest::run);
  }

  private static void run(SplittableRandom random) {
    try (TestPool pool = new TestPool(4 << 20)) {
      ManualClock clock = new ManualClock();
      BlockCache cache =
          BlockCache.create(
              pool.pool,
              pool.parent,
              BlockCacheOptions.withCapacity(PAGES * PAGE)
                  .withPageBytes(PAGE)
                  .withClock(clock::nanos, clock::later));
      List<FakeSource> sources = List.of(new FakeSource("a"), new FakeSource("b"));
      List<BlockReader> readers = new ArrayList<>();
      long[] next = new long[3];
      for (int i = 0; i < 3; i++) {
        readers.add(cache.reader(new BlockObject(sources.get(i % 2), "o" + i / 2, 40 * PAGE + 77)));
      }
      List<Read> reads = new ArrayList<>();
      List<Read> held = new ArrayList<>();
      List<Block> others = new ArrayList<>();
      for (int step = 0; step < 3_000; step++) {
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3 -> {
            int i = random.nextInt(3);
            BlockReader reader = readers.get(i);
            next[i] =
                random.nextInt(8) == 0
                    ? random.nextLong(40 * PAGE)
                    : next[i] + random.nextInt(PAGE);
            next[i] %= reader.object().bytes();
            reads.add(
                new Read(
                    (FakeSource) reader.object().source(),
                    reader.object().name(),
                    next[i],
                    reader.read(next[i], 1 + random.nextInt(PAGE))));
          }
          case 4, 5, 6 -> {
            List<FakeSource.Call> open =
                sources.stream().flatMap(source -> source.open().stream()).toList();
            if (!open.isEmpty()) {
              FakeSource.Call call = open.get(random.nextInt(open.size()));
              if (random.nextInt(5) == 0) {
                call.fail(new IOException("503"));
              } else {
                call.succeed();
              }
            }
          }
          case 7 -> {
            if (!reads.isEmpty()) {
              reads.get(random.nextInt(reads.size())).future.cancel(false);
            }
          }
          case 8 -> {
            while (!held.isEmpty() && random.nextInt(4) > 0) {
              held.remove(random.nextInt(held.size())).future.join().release();
            }
          }
          case 9 -> clock.advance(random.nextLong(3_000_000_000L));
          case 10 -> {
            Block block = pool.pool.tryAllocate(1 + random.nextInt(1 << 20));
            if (block != null) {
              others.add(block);
            }
          }
          default -> {
            while (!others.isEmpty() && random.nextBoolean()) {
              others.removeLast().release();
            }
          }
        }
        settle(reads, held);
        cache.checkInvariants();
        assertThat(cache.budget().chargedBytes()).isLessThanOrEqualTo(PAGES * PAGE);
        assertWantedAtMostOnce(sources);
      }
      readers.forEach(BlockReader::close);
      cache.close();
      sources.forEach(source -> source.open().forEach(FakeSource.Call::succeed));
      settle(reads, held);
      assertThat(reads).isEmpty();
      held.forEach(read -> read.future.join().release());
      others.forEach(Block::release);
    }
  }

  private static void assertWantedAtMostOnce(List<FakeSource> sources) {
    Stream<FakeSource.Call> wanted =
        sources.stream()
            .flatMap(source -> source.open().stream())
            .filter(call -> call.cancels == 0);
    assertThat(
            wanted
                .collect(Collectors.groupingBy(call -> call.into.address(), Collectors.counting()))
                .values())
        .allMatch(count -> count == 1);
    for (FakeSource source : sources) {
      assertThat(
              source.open().stream()
                  .filter(call -> call.cancels == 0)
                  .collect(
                      Collectors.groupingBy(
                          call -> call.object + call.offset, Collectors.counting()))
                  .values())
          .allMatch(count -> count == 1);
    }
  }

  private static void settle(List<Read> reads, List<Read> held) {
    reads.removeIf(read -> {
      if (!read.future.isDone()) {
        return false;
      }
      if (!read.future.isCompletedExceptionally()) {
        read.source.verify(read.future.join(), read.object, read.offset);
        held.add(read);
      }
      return true;
    });
  }
}
