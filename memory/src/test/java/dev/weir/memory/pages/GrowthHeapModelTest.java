package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.PageHeaps;
import dev.weir.memory.testing.SeededRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random growth in ranges of every length, beside runs that take the rest of the limit: refused is
 * what the limit refuses, and nothing else.
 */
class GrowthHeapModelTest {
  private static final long MIB = 1 << 20;
  private static final long LIMIT_BYTES = 300 * MIB;
  private static final long RESERVE_BYTES = MIB;
  private static final long LEAST_BYTES = 64 << 10;
  private static final int STEPS = 3_000;

  @ParameterizedTest(name = "where {0} of four moves fail")
  @ValueSource(ints = {0, 1, 4})
  void onlyTheLimitRefuses(int failingMoves) {
    SeededRuns.forSeeds(getClass(), 8, random -> new Session(random, failingMoves).run());
  }

  /** The most blocks there can be in each tier, and then blocks of the next. */
  @Test
  void everyTierHoldsAsManyBlocksAsTheLimitAllows() {
    Session session = new Session(new SplittableRandom(1), 0);
    while (session.liveBytes() + LEAST_BYTES <= LIMIT_BYTES - RESERVE_BYTES) {
      session.open(LEAST_BYTES);
    }
    for (long bytes : new long[] {4 * MIB, 4 * MIB + 4096, 256 * MIB, 256 * MIB + 4096}) {
      while (session.liveBytes() + bytes - session.blocks.getFirst().bytes
          > LIMIT_BYTES - RESERVE_BYTES) {
        session.close(session.blocks.size() - 1);
      }
      for (int i = 0; i < session.blocks.size(); i++) {
        session.grow(i, bytes);
      }
      session.check();
    }
    assertThat(session.os.moves()).isPositive();
    session.end();
  }

  /** So that the next block that grows as long faults nothing in. */
  @Test
  void whatARoomHasJustLeftStaysWarmUntilItAges() {
    Session session = new Session(new SplittableRandom(1), 0);
    session.open(64 * MIB);
    session.close(0);
    session.heap.dirtyPurges().purgeExcess();
    assertThat(session.heap.totals().dirtyBytes()).isEqualTo(64 * MIB);

    session.open(64 * MIB);
    assertThat(session.heap.totals().dirtyBytes()).isZero();
    session.close(0);
    session.heap.dirtyPurges().purgeAged();
    assertThat(session.heap.totals().dirtyBytes()).isEqualTo(64 * MIB);
    session.heap.dirtyPurges().purgeAged();
    assertThat(session.heap.totals().dirtyBytes()).isZero();
    session.end();
  }

  /** Dirty ranges beside as many live bytes as before are what the ceiling is for. */
  @Test
  void noMoreStaysWarmThanWasLive() {
    Session session = new Session(new SplittableRandom(1), 0);
    session.open(64 * MIB);
    session.close(0);
    session.allocateRun(48 * MIB);
    session.heap.dirtyPurges().purgeExcess();
    assertThat(session.heap.totals().residentBytes()).isBetween(64 * MIB, 64 * MIB + 4 * MIB);
    session.end();
  }

  private static final class Held {
    GrowthRange range;
    long bytes;

    Held(GrowthRange range, long bytes) {
      this.range = range;
      this.bytes = bytes;
    }
  }

  private record Run(long address, long bytes) {}

  private static final class Session {
    final FakeNativeMemory os = new FakeNativeMemory();
    final List<Held> blocks = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();
    private final SplittableRandom random;
    private final int failingMoves;
    private final PageHeap heap =
        PageHeaps.over(os, Reservation.reserve(os, LIMIT_BYTES), LIMIT_BYTES, RESERVE_BYTES, 1);

    Session(SplittableRandom random, int failingMoves) {
      this.random = random;
      this.failingMoves = failingMoves;
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        step();
        if (step % 50 == 0) {
          check();
        }
      }
      end();
    }

    private void step() {
      switch (random.nextInt(10)) {
        case 0, 1 -> {
          if (random.nextInt(3) == 0) {
            openByPromise(randomLength());
          } else {
            open(randomLength());
          }
        }
        case 2, 3, 4, 5 -> {
          if (!blocks.isEmpty()) {
            int index = random.nextInt(blocks.size());
            long moreBytes = randomLength();
            if (random.nextInt(3) == 0) {
              growByPromise(index, moreBytes);
            } else {
              grow(index, blocks.get(index).bytes + moreBytes);
            }
          }
        }
        case 6 -> allocateRun(randomLength());
        case 7 -> {
          if (!runs.isEmpty()) {
            Run run = runs.remove(random.nextInt(runs.size()));
            heap.runs().free(run.address, run.bytes, Lane.LARGE);
          }
        }
        case 8 -> {
          if (random.nextBoolean()) {
            heap.dirtyPurges().purgeAged();
          } else {
            heap.dirtyPurges().purgeExcess();
          }
        }
        default -> {
          if (!blocks.isEmpty()) {
            close(random.nextInt(blocks.size()));
          }
        }
      }
    }

    private long randomLength() {
      long bytes = LEAST_BYTES + random.nextLong(LEAST_BYTES << random.nextInt(11));
      return bytes / 4096 * 4096;
    }

    long liveBytes() {
      return blocks.stream().mapToLong(block -> block.bytes).sum()
          + runs.stream().mapToLong(Run::bytes).sum();
    }

    private boolean fits(long moreBytes) {
      return liveBytes() + moreBytes <= LIMIT_BYTES - RESERVE_BYTES;
    }

    void open(long bytes) {
      boolean fits = fits(bytes);
      GrowthRange range = heap.growth().tryOpen(bytes, Lane.LARGE);
      assertThat(range != null).as("%d beside %d", bytes, liveBytes()).isEqualTo(fits);
      if (range != null) {
        assertThat(blocks).noneMatch(block -> block.range.address() == range.address());
        blocks.add(new Held(range, bytes));
        os.touch(range.address(), bytes);
      }
    }

    void grow(int index, long bytes) {
      Held block = blocks.get(index);
      boolean fits = fits(bytes - block.bytes);
      boolean grown;
      if (bytes <= block.range.rangeBytes()) {
        grown = heap.growth().tryExtend(block.range, bytes, Lane.LARGE);
        assertThat(grown).isEqualTo(fits);
      } else {
        grown = move(block, bytes, fits);
      }
      if (grown) {
        block.bytes = bytes;
        os.touch(block.range.address(), bytes);
      }
    }

    private static Lane laneOf(long bytes) {
      return bytes <= Lane.MAX_SMALL_PROMISE_BYTES ? Lane.SMALL_PROMISE : Lane.PROMISE;
    }

    /** Promises what then is used: only addresses could be missing, and there are enough. */
    private void openByPromise(long bytes) {
      Lane lane = laneOf(bytes);
      if (heap.promises().tryMake(bytes, lane)) {
        GrowthRange range = heap.growth().tryOpen(bytes, lane);
        assertThat(range).isNotNull();
        os.touch(range.address(), bytes);
        if (random.nextInt(4) == 0) {
          heap.growth().undoOpen(range, lane);
          heap.promises().giveBack(bytes, lane);
        } else {
          blocks.add(new Held(range, bytes));
        }
      }
    }

    private void growByPromise(int index, long moreBytes) {
      Held block = blocks.get(index);
      Lane lane = laneOf(moreBytes);
      if (!heap.promises().tryMake(moreBytes, lane)) {
        return;
      }
      long bytes = block.bytes + moreBytes;
      boolean fails = random.nextInt(4) < failingMoves;
      os.failMoves(fails);
      boolean grown;
      if (bytes <= block.range.rangeBytes()) {
        grown = heap.growth().tryExtend(block.range, bytes, lane);
        assertThat(grown).isTrue();
      } else {
        GrowthRange longer = heap.growth().tryMove(block.range, bytes, lane);
        grown = longer != null;
        assertThat(grown || fails).isTrue();
        block.range = grown ? longer : block.range;
      }
      os.failMoves(false);
      if (grown) {
        block.bytes = bytes;
        os.touch(block.range.address(), bytes);
      } else {
        heap.promises().giveBack(moreBytes, lane);
      }
    }

    /** Where pages cannot be moved, the limit must have room for both places. */
    private boolean move(Held block, long bytes, boolean fits) {
      boolean fails = random.nextInt(4) < failingMoves;
      if (fails) {
        os.failMoves(true);
      }
      GrowthRange longer = heap.growth().tryMove(block.range, bytes, Lane.LARGE);
      os.failMoves(false);
      if (!fails) {
        assertThat(longer != null).isEqualTo(fits);
      } else if (longer != null) {
        assertThat(fits(bytes)).as("room for both").isTrue();
      } else {
        assertThat(fits(bytes + block.range.rangeBytes())).as("much room for both").isFalse();
      }
      if (longer != null) {
        assertThat(longer.rangeBytes()).isGreaterThanOrEqualTo(bytes);
        block.range = longer;
      }
      return longer != null;
    }

    void close(int index) {
      Held block = blocks.remove(index);
      heap.growth().close(block.range);
    }

    private void allocateRun(long bytes) {
      boolean fits = fits(bytes);
      long address = heap.runs().allocate(bytes);
      assertThat(address != Runs.FULL).isEqualTo(fits);
      if (fits) {
        runs.add(new Run(address, bytes));
        os.touch(address, bytes);
      }
    }

    void check() {
      heap.checkInvariants();
      PageTotals totals = heap.totals();
      assertThat(totals.liveBytes()).isEqualTo(liveBytes());
      assertThat(totals.runBytes()).isEqualTo(liveBytes());
      assertThat(totals.promisedBytes()).isZero();
      assertThat(totals.residentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
      assertThat(os.residentBytes())
          .as("resident, as the operating system sees it")
          .isEqualTo(totals.residentBytes());
    }

    void end() {
      runs.forEach(run -> heap.runs().free(run.address, run.bytes, Lane.LARGE));
      runs.clear();
      while (!blocks.isEmpty()) {
        close(0);
      }
      check();
      assertThat(heap.promises().admits(LIMIT_BYTES / 16, Lane.OWN_SMALL_PROMISE))
          .as("nothing counts as a small promise any more")
          .isTrue();
      heap.dirtyPurges().purgeAll();
      check();
      assertThat(os.residentBytes()).isZero();
      assertThat(heap.tryRetire()).isTrue();
    }
  }
}
