package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.hardening.Misuse;
import dev.weir.memory.hardening.Misuse.Kind;
import dev.weir.memory.os.AddressSpace;
import dev.weir.memory.testing.SeededRuns;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random use of a hardened pool near its limit, with mistakes in it: every one is found, and
 * nothing else is.
 */
@Timeout(120)
class HardenedModelTest {
  private static final int STEPS = 3_000;
  private static final int MAX_STALE = 64;

  @Test
  void everyMistakeIsFoundAndNothingElse() {
    SeededRuns.forSeeds(getClass(), 6, random -> new Model(random).run());
  }

  /** A block that was released, by what is left of it. */
  private record Stale(Block block, MemorySegment segment, Set<Long> written) {}

  private static final class Model {
    private final SplittableRandom random;
    private final Pool pool;
    private final Budget budget;
    private final List<Block> live = new ArrayList<>();
    private final Set<Block> overrun = new HashSet<>();
    private final List<Stale> stale = new ArrayList<>();

    /** Damaged while they rested: each is told of when it leaves. */
    private final Map<Kind, Long> expected = new EnumMap<>(Kind.class);

    Model(SplittableRandom random) {
      this.random = random;
      long quarantine = random.nextBoolean() ? 0 : 16L << 10 << random.nextInt(6);
      pool =
          Pool.create(
              PoolOptions.withLimit(4 << 20)
                  .withHardening(Hardening.full().withQuarantine(quarantine)));
      budget = pool.rootBudget().child("budget", 3 << 20);
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3 -> allocate();
          case 4, 5, 6 -> release();
          case 7 -> writeBehindTheEnd();
          case 8 -> useStaleBlock();
          case 9 -> releaseAgain();
          case 10 -> readAndWriteStaleSegment();
          case 11 -> writeThroughStaleAddress();
          default -> throw new AssertionError();
        }
        checkCharge();
      }
      while (!live.isEmpty()) {
        release();
      }
      pool.trim();
      assertThat(pool.misuses().counts()).isEqualTo(expected);
      assertThat(pool.misuses().latest())
          .extracting(Misuse::allocated)
          .allSatisfy(stack -> assertThat(stack.getFirst().getMethodName()).isEqualTo("allocate"));
      assertThat(pool.liveBlockBytes()).isZero();
      assertThat(budget.chargedBytes()).isZero();
      assertThat(pool.residentBytes()).isZero();
      pool.checkInvariants();
      pool.close();
    }

    private void checkCharge() {
      long bytes = live.stream().mapToLong(Block::size).sum();
      assertThat(budget.chargedBytes()).isEqualTo(bytes);
      assertThat(pool.liveBlockBytes()).isEqualTo(bytes);
      assertThat(pool.residentBytes()).isLessThanOrEqualTo(pool.limitBytes());
    }

    private void expect(Kind kind) {
      expected.merge(kind, 1L, Long::sum);
    }

    private @Nullable Block anyLive() {
      return live.isEmpty() ? null : live.get(random.nextInt(live.size()));
    }

    private @Nullable Stale anyStale() {
      return stale.isEmpty() ? null : stale.get(random.nextInt(stale.size()));
    }

    private void allocate() {
      int bytes = random.nextInt(1 << random.nextInt(4, 19));
      Block block = pool.tryAllocate(bytes, budget);
      if (block != null) {
        block.segment().fill((byte) random.nextInt());
        live.add(block);
      }
    }

    private void release() {
      Block block = anyLive();
      if (block == null) {
        return;
      }
      live.remove(block);
      MemorySegment segment = block.segment();
      boolean hardened = block.history() != null;
      block.release();
      if (overrun.remove(block)) {
        expect(Kind.OVERRUN);
      }
      if (hardened) {
        stale.add(new Stale(block, segment, new HashSet<>()));
        if (stale.size() > MAX_STALE) {
          stale.removeFirst();
        }
      }
    }

    private void writeBehindTheEnd() {
      Block block = anyLive();
      if (block != null && block.history() != null) {
        if (overrun.add(block)) {
          damage(block.address() + block.size() + random.nextInt(16));
        }
      }
    }

    private void useStaleBlock() {
      Stale left = anyStale();
      if (left != null) {
        assertThatIllegalStateException()
            .isThrownBy(left.block::segment)
            .withMessageContaining("release(HardenedModelTest.java:");
        expect(Kind.USE_AFTER_RELEASE);
      }
    }

    private void releaseAgain() {
      Stale left = anyStale();
      if (left != null) {
        assertThatIllegalStateException().isThrownBy(left.block::release);
        expect(Kind.SECOND_RELEASE);
      }
    }

    private void readAndWriteStaleSegment() {
      Stale left = anyStale();
      if (left != null && left.segment.byteSize() > 0) {
        long at = random.nextLong(left.segment.byteSize());
        assertThatIllegalStateException()
            .isThrownBy(() -> left.segment.get(ValueLayout.JAVA_BYTE, at));
        assertThatIllegalStateException()
            .isThrownBy(() -> left.segment.asByteBuffer().put((int) at, (byte) 1));
      }
    }

    /** Only while its pages rest: after that they are somebody else's, whom nobody protects. */
    private void writeThroughStaleAddress() {
      Stale left = anyStale();
      if (left != null
          && pool.historyOf(left.segment) == left.block.history()
          && left.written.add(0L)) {
        damage(left.segment.address() + random.nextLong(left.segment.byteSize() + 16));
        expect(Kind.WRITE_AFTER_RELEASE);
      }
    }

    private static void damage(long address) {
      byte before = AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address);
      AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, address, (byte) (before ^ 0x55));
    }
  }
}
