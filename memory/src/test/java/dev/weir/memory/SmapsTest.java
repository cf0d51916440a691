package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.AddressSpace;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Patterns;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.Smaps;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The pool's count of resident bytes against the kernel's. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SmapsTest {
  private static final long MIB = 1 << 20;
  private static final long LIMIT_BYTES = 48 * MIB;

  private static long rssBytes(Pool pool) {
    return Smaps.residentBytes(pool.reservationAddress(), pool.reservationBytes());
  }

  private static Pool pool(Duration decay) {
    return Pool.create(PoolOptions.withLimit(LIMIT_BYTES).withDecay(decay));
  }

  @Test
  void theKernelNeverCountsMoreThanThePoolByAMebibyte() {
    SeededRuns.forSeeds(getClass(), 3, SmapsTest::countBoth);
  }

  /**
   * The pool's count is read first: meanwhile the purger may give pages back, but nobody allocates.
   */
  private static void countBoth(SplittableRandom random) {
    Pool pool = pool(Duration.ofDays(1));
    List<Block> live = new ArrayList<>();
    for (int step = 1; step <= 6_000; step++) {
      Block block = pool.tryAllocate(1 + random.nextLong(1L << random.nextInt(1, 21)));
      if (block != null) {
        Patterns.fill(block, step);
        live.add(block);
      }
      while (!live.isEmpty() && random.nextInt(100) < (block == null ? 90 : 48)) {
        live.remove(random.nextInt(live.size())).release();
      }
      if (step % 100 == 0) {
        long residentBytes = pool.residentBytes();
        assertThat(residentBytes).isLessThanOrEqualTo(LIMIT_BYTES);
        assertThat(rssBytes(pool)).isLessThanOrEqualTo(residentBytes + MIB);
      }
      if (step % 1_000 == 0) {
        pool.trim();
      }
    }
    live.forEach(Block::release);
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    assertThat(rssBytes(pool)).isZero();
    pool.close();
  }

  @Test
  void bothCountTheSameWhenEveryLivePageHasBeenWritten() {
    Pool pool = pool(Duration.ofDays(1));
    List<Block> live = new ArrayList<>();
    for (int bytes : new int[] {100, 1_000, 4_096, 20_000, 65_536, 200_000}) {
      for (int i = 0; i < (6 << 20) / bytes; i++) {
        Block block = pool.allocate(bytes);
        block.segment().fill((byte) 1);
        live.add(block);
      }
    }

    long resident = pool.residentBytes();
    assertThat(resident).isGreaterThan(35 * MIB);
    assertThat(rssBytes(pool)).isBetween(resident - resident / 50 - MIB, resident + MIB);

    live.forEach(Block::release);
    pool.trim();
    assertThat(rssBytes(pool)).isZero();
    pool.close();
  }

  @Test
  void purgedPagesAreGoneAndReadAsZero() {
    Pool pool = pool(Duration.ofMillis(20));
    Block keeper = pool.allocate(MIB);
    Block block = pool.allocate(3 * MIB);
    keeper.segment().fill((byte) 7);
    block.segment().fill((byte) 7);
    long address = block.address();
    long bytes = block.size();
    block.release();

    Await.until(() -> pool.residentBytes() == MIB, () -> pool.snapshot().toString());

    assertThat(rssBytes(pool)).isEqualTo(MIB);
    for (long at = 0; at < bytes; at += 512) {
      assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + at)).isZero();
    }
    assertThat(keeper.segment().get(ValueLayout.JAVA_BYTE, MIB - 1)).isEqualTo((byte) 7);
    keeper.release();
    pool.close();
  }

  @Test
  void pagesInsideSlabsAreGivenBack() {
    Pool pool = pool(Duration.ofDays(1));
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 512; i++) {
      Block block = pool.allocate(65_536);
      Patterns.fill(block, i);
      blocks.add(block);
    }
    long full = rssBytes(pool);
    for (int i = 0; i < blocks.size(); i++) {
      if (i % 8 != 0) {
        blocks.get(i).release();
      }
    }
    pool.trim();

    assertThat(full).isGreaterThan(31 * MIB);
    assertThat(pool.residentBytes()).isEqualTo(64 * 65_536);
    assertThat(rssBytes(pool)).isEqualTo(64 * 65_536);
    for (int i = 0; i < blocks.size(); i += 8) {
      Patterns.verify(blocks.get(i), i);
      blocks.get(i).release();
    }
    pool.close();
  }
}
