package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.BoundSession.Held;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.TouchedPages;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bound, as its users read it: a request is refused only when the OS pages that live blocks lie
 * on, and the request, exceed the limit less the slack, however scattered those blocks are.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PoolBoundTest {
  private static final long LIMIT_BYTES = 8 << 20;
  private static final long OS_PAGE_BYTES = 4096;
  private static final int[] REQUESTS = {40, 3_000, 9_000, 65_536, 65_537, 300_000, 2_000_000};

  @ParameterizedTest(name = "filled with {0} bytes each, of which one in {1} stays")
  @CsvSource({
    "65536,2",
    "65536,8",
    "40960,3",
    "20480,7",
    "4096,2",
    "4096,16",
    "600,40",
    "100,2",
    "100,400",
    "16,3000",
    "70000,2",
    "200000,5"
  })
  void nothingWithinItIsRefused(int fillBytes, int oneIn) {
    SeededRuns.forSeeds(getClass(), 3, random -> run(random, fillBytes, oneIn));
  }

  private static void run(SplittableRandom random, int fillBytes, int oneIn) {
    FakeNativeMemory os = new FakeNativeMemory();
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(os));
    List<Block> live = new ArrayList<>();
    fill(pool, live, fillBytes);
    thinOut(random, live, oneIn, Block::release);
    for (int refusals = 0; refusals < 20; ) {
      int bytes = REQUESTS[random.nextInt(REQUESTS.length)];
      Block block = pool.tryAllocate(bytes);
      if (block != null) {
        live.add(block);
      } else {
        refusals++;
        assertThat(touchedBytes(live) + TouchedPages.neededBytes(bytes))
            .as("refused: %d bytes%n%s", bytes, pool.snapshot())
            .isGreaterThan(LIMIT_BYTES - pool.slackBytes());
      }
    }
    live.forEach(Block::release);
    BoundSession.end(pool, os);
  }

  /** Each fills and thins out at its own pace, every second one on a heap of its own. */
  @ParameterizedTest(name = "by {0} threads, {1} bytes each, of which one in {2} stays")
  @CsvSource({"2,65536,8", "2,600,40", "4,4096,16", "4,20480,7", "8,40960,3", "8,100,400"})
  void nothingWithinItIsRefusedToSeveral(int threads, int fillBytes, int oneIn) {
    SeededRuns.forSeeds(
        getClass(),
        3,
        random -> {
          BoundSession session = new BoundSession(LIMIT_BYTES, Duration.ofDays(1));
          Workers workers = new Workers();
          for (int i = 0; i < threads; i++) {
            boolean hasHeap = i % 2 == 0;
            SplittableRandom own = random.split();
            workers.platform(() -> {
              OwnedHeap heap = hasHeap ? session.pool().support().ownedHeap(task -> {}) : null;
              runBesideOthers(session, heap, own, fillBytes, oneIn);
              if (heap != null) {
                heap.close();
              }
            });
          }
          workers.join();
          assertThat(session.beyond()).as("times at the bound").isGreaterThan(threads * 100L);
          session.end();
        });
  }

  private static void runBesideOthers(
      BoundSession session,
      @Nullable OwnedHeap heap,
      SplittableRandom random,
      int fillBytes,
      int oneIn) {
    for (int round = 0; round < 5; round++) {
      List<Held> held = new ArrayList<>();
      for (Held next = session.tryHold(heap, fillBytes);
          next != null;
          next = session.tryHold(heap, fillBytes)) {
        held.add(next);
      }
      thinOut(random, held, oneIn, session::release);
      for (int beyond = 0; beyond < 20; ) {
        Held next = session.tryHold(heap, REQUESTS[random.nextInt(REQUESTS.length)]);
        if (next != null) {
          held.add(next);
        } else {
          beyond++;
        }
      }
      held.forEach(session::release);
    }
  }

  @ParameterizedTest(name = "filled with {0} bytes each, released, and filled with {1}")
  @CsvSource({
    "65536,53248",
    "65536,40960",
    "65536,9216",
    "57344,61440",
    "4096,3584",
    "3000,2000",
    "300000,53248"
  })
  void nothingIsRefusedForWhatWasThereBefore(int before, int bytes) {
    FakeNativeMemory os = new FakeNativeMemory();
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(os));
    List<Block> live = new ArrayList<>();
    fill(pool, live, before);
    live.forEach(Block::release);
    live.clear();
    fill(pool, live, bytes);
    assertThat(touchedBytes(live) + TouchedPages.neededBytes(bytes))
        .as("refused: %d bytes%n%s", bytes, pool.snapshot())
        .isGreaterThan(LIMIT_BYTES - pool.slackBytes());
    live.forEach(Block::release);
    BoundSession.end(pool, os);
  }

  /** A new slab is given the pages of an empty one, and needs others for its first slot. */
  @Test
  void pagesThatAnEmptySlabLeavesRefuseNothing() {
    FakeNativeMemory os = new FakeNativeMemory();
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(os));
    List<Block> slots = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      slots.add(pool.allocate(65_536));
    }
    Block inTheMiddle = slots.remove(4);
    slots.forEach(Block::release);
    pool.trim();
    inTheMiddle.release();
    pool.checkInvariants();
    long freeBytes = 24 * OS_PAGE_BYTES;
    Block run = pool.allocate(LIMIT_BYTES - pool.slackBytes() - freeBytes);

    Block block = pool.tryAllocate(61_440);

    assertThat(freeBytes).isGreaterThan(TouchedPages.neededBytes(61_440));
    assertThat(block).as("%s", pool.snapshot()).isNotNull();
    block.release();
    run.release();
    BoundSession.end(pool, os);
  }

  private static void fill(Pool pool, List<Block> live, int bytes) {
    for (Block block = pool.tryAllocate(bytes); block != null; block = pool.tryAllocate(bytes)) {
      live.add(block);
    }
  }

  private static <B> void thinOut(
      SplittableRandom random, List<B> live, int oneIn, Consumer<B> release) {
    live.removeIf(block -> {
      boolean goes = random.nextInt(oneIn) != 0;
      if (goes) {
        release.accept(block);
      }
      return goes;
    });
  }

  private static long touchedBytes(List<Block> live) {
    TouchedPages pages = new TouchedPages();
    live.forEach(pages::add);
    return pages.bytes();
  }
}
