package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Workers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Hardening where memory is short, and for long. */
@Timeout(120)
class HardenedLimitsTest {
  private static final int MIB = 1 << 20;

  private static Pool pool(long limitBytes, Hardening hardening) {
    return Pool.create(PoolOptions.withLimit(limitBytes).withHardening(hardening));
  }

  private static void assertEmpty(Pool pool) {
    assertThat(pool.liveBlockBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    assertThat(pool.misuses().total()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void theQuarantineIsBoundedAndGivenUpBeforeAnythingIsRefused() {
    Pool pool = pool(8 * MIB, Hardening.full().withQuarantine(2 * MIB));
    for (int i = 0; i < 100; i++) {
      pool.allocate(100_000).release();
      assertThat(pool.snapshot().quarantinedBytes()).isLessThanOrEqualTo(2 * MIB);
    }
    assertThat(pool.snapshot().quarantinedBytes()).isGreaterThan(MIB);

    Block most = pool.allocate(7 * MIB);
    assertThat(pool.snapshot().quarantinedBytes()).isLessThan(MIB);
    most.release();
    assertThat(pool.snapshot().quarantinedBytes())
        .as("a block larger than the quarantine does not rest")
        .isLessThan(MIB);
    assertEmpty(pool);
  }

  @Test
  void aBlockThatCanNeverFitLeavesTheQuarantineAlone() {
    Pool pool = pool(8 * MIB, Hardening.full());
    for (int i = 0; i < 50; i++) {
      pool.allocate(1_000).release();
    }
    long quarantinedBytes = pool.snapshot().quarantinedBytes();
    assertThat(quarantinedBytes).isPositive();

    assertThat(pool.tryAllocate(1L << 40)).isNull();
    assertThat(pool.tryAllocate(9 * MIB)).isNull();
    assertThat(pool.tryAllocate(8 * MIB - 100)).as("the reserve is for small blocks").isNull();
    assertThat(pool.snapshot().quarantinedBytes()).isEqualTo(quarantinedBytes);
    assertEmpty(pool);
  }

  @Test
  void aGrantDoesNotWaitForTheQuarantine() throws Exception {
    Pool pool = pool(8 * MIB, Hardening.full().withQuarantine(2 * MIB));
    for (int i = 0; i < 30; i++) {
      pool.allocate(100_000).release();
    }
    long largest = 6 * MIB;
    try (Grant grant = pool.grant(largest, Duration.ofSeconds(20)).get()) {
      assertThat(grant.bytes()).isEqualTo(largest);
    }
    assertEmpty(pool);
  }

  @Test
  void smallBlocksThatAreAllHardenedLeaveRoomForOthers() {
    Pool pool = pool(4 * MIB, Hardening.full());
    List<Block> live = new ArrayList<>();
    int hardened = 0;
    for (int i = 0; i < 10_000; i++) {
      Block block = pool.allocate(64);
      hardened += block.history() == null ? 0 : 1;
      live.add(block);
    }
    assertThat(hardened).as("they take 4 KiB each, of half of 4 MiB").isBetween(400, 520);
    live.forEach(Block::release);
    assertEmpty(pool);
  }

  @Test
  void atTheLimitNothingIsLost() {
    Pool pool = pool(2 * MIB, Hardening.full());
    SplittableRandom random = new SplittableRandom(1);
    List<Block> live = new ArrayList<>();
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      try {
        live.add(pool.allocate(random.nextInt(1 << random.nextInt(1, 18))));
      } catch (BudgetExceededError full) {
        refused++;
        live.removeLast().release();
      }
      if (random.nextInt(3) == 0 && !live.isEmpty()) {
        live.remove(random.nextInt(live.size())).release();
      }
    }
    assertThat(refused).isPositive();
    live.forEach(Block::release);
    assertEmpty(pool);
  }

  @Test
  void manyThreadsHandHardenedBlocksToEachOther() throws InterruptedException {
    Pool pool = pool(16 * MIB, Hardening.oneIn(2).withPoison());
    java.util.concurrent.ArrayBlockingQueue<Block> hand =
        new java.util.concurrent.ArrayBlockingQueue<>(64);
    Workers workers = new Workers();
    for (int thread = 0; thread < 4; thread++) {
      int seed = thread;
      workers.platform(() -> {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 3_000; i++) {
          Block block = pool.allocate(random.nextInt(1, 20_000));
          block.segment().fill((byte) i);
          if (!hand.offer(block)) {
            block.release();
          }
          Block other = hand.poll();
          if (other != null) {
            assertThat(other.segment().get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo(other.segment().get(ValueLayout.JAVA_BYTE, other.size() > 16 ? 7 : 0));
            other.release();
          }
        }
      });
    }
    workers.join();
    hand.forEach(Block::release);
    assertEmpty(pool);
  }

  @Test
  void ofASampleTheSegmentIsClosedByThePoolsOwnThread() {
    Pool pool = pool(16 * MIB, Hardening.oneIn(2));
    Block block = pool.allocate(100);
    while (block.history() == null) {
      block.release();
      block = pool.allocate(100);
    }
    MemorySegment segment = block.segment();
    block.release();
    assertThatIllegalStateException().isThrownBy(block::segment);
    Await.until(() -> !segment.scope().isAlive(), () -> "the segment stays open");
    Await.until(() -> pool.historyOf(segment) != null, () -> "its history is lost");
    assertThat(pool.misuses().total()).isOne();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.close();
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "reads /proc")
  void mappingsAndTheJavaHeapStayFlat() {
    Pool pool = pool(16 * MIB, Hardening.full());
    churn(pool, 5_000);
    long mappings = mappings();
    long heap = usedHeap();
    churn(pool, 100_000);
    // What the pool's own thread has still to close is none that stays.
    Await.until(
        () -> mappings() < mappings + 200 && usedHeap() < heap + 8 * MIB,
        () ->
            "%d mappings of %d, %,d bytes of heap of %,d"
                .formatted(mappings(), mappings, usedHeap(), heap));
    assertEmpty(pool);
  }

  private static void churn(Pool pool, int blocks) {
    for (int i = 0; i < blocks; i++) {
      pool.allocate(i % 9_000).release();
    }
  }

  private static long mappings() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
