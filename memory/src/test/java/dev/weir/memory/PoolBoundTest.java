package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.Block;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.SeededRuns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
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
    thinOut(random, live, oneIn);
    for (int refusals = 0; refusals < 20; ) {
      int bytes = REQUESTS[random.nextInt(REQUESTS.length)];
      Block block = pool.tryAllocate(bytes);
      if (block != null) {
        live.add(block);
      } else {
        refusals++;
        assertThat(touchedBytes(live) + roundUp(bytes))
            .as("refused: %d bytes%n%s", bytes, pool.snapshot())
            .isGreaterThan(LIMIT_BYTES - pool.slackBytes());
      }
    }
    live.forEach(Block::release);
    assertThat(pool.liveBlockBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
    assertThat(os.reservations()).isZero();
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
    assertThat(touchedBytes(live) + roundUp(bytes))
        .as("refused: %d bytes%n%s", bytes, pool.snapshot())
        .isGreaterThan(LIMIT_BYTES - pool.slackBytes());
    live.forEach(Block::release);
    pool.checkInvariants();
    pool.close();
  }

  private static void fill(Pool pool, List<Block> live, int bytes) {
    for (Block block = pool.tryAllocate(bytes); block != null; block = pool.tryAllocate(bytes)) {
      live.add(block);
    }
  }

  private static void thinOut(SplittableRandom random, List<Block> live, int oneIn) {
    List<Block> kept = new ArrayList<>();
    for (Block block : live) {
      if (random.nextInt(oneIn) == 0) {
        kept.add(block);
      } else {
        block.release();
      }
    }
    live.clear();
    live.addAll(kept);
  }

  /** What the request may need: runs are whole pages, a slot may begin and end inside pages. */
  private static long roundUp(int bytes) {
    return bytes > 65_536
        ? Math.ceilDiv(bytes, OS_PAGE_BYTES) * OS_PAGE_BYTES
        : (Math.ceilDiv(bytes + bytes / 8, OS_PAGE_BYTES) + 1) * OS_PAGE_BYTES;
  }

  private static long touchedBytes(List<Block> live) {
    Set<Long> pages = new HashSet<>();
    for (Block block : live) {
      long last = (block.address() + block.size() - 1) / OS_PAGE_BYTES;
      for (long page = block.address() / OS_PAGE_BYTES; page <= last; page++) {
        pages.add(page);
      }
    }
    return pages.size() * OS_PAGE_BYTES;
  }
}
