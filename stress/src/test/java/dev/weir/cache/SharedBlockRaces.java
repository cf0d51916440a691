package dev.weir.cache;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * A cache lets go of a block while readers come and go: it is released once, by the last of them,
 * and what is pinned adds up.
 */
public final class SharedBlockRaces {
  private static final Pool POOL = Pool.create(PoolOptions.withLimit(4L << 30));

  private SharedBlockRaces() {}

  private abstract static class OneBlock {
    private final Budget budget = POOL.rootBudget().child("block", Budget.UNLIMITED);
    private final PinFigures figures = new PinFigures();
    private final Block block = POOL.allocate(64, budget);
    private final MemorySegment bytes = block.segment();
    final SharedBlock shared = new SharedBlock(block, 64, figures);

    final @Nullable CacheSlice slice() {
      return shared.trySlice(bytes);
    }

    /** Whether the block is still charged, and what is counted as pinned and orphaned. */
    final String state() {
      String state =
          (budget.chargedBytes() == 0 ? "free " : "live ")
              + figures.pinnedBytes()
              + " "
              + figures.orphanedBytes();
      budget.close();
      return state;
    }
  }

  /** The last reader releases as the cache lets go. */
  @JCStressTest
  @Outcome(id = "free 0 0", expect = Expect.ACCEPTABLE)
  @State
  public static class DropAgainstLastRelease extends OneBlock {
    private final CacheSlice slice = slice();

    @Actor
    public void drops() {
      shared.drop();
    }

    @Actor
    public void releases() {
      slice.release();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = state();
    }
  }

  /** A reader comes as the cache lets go: it gets a slice or none. */
  @JCStressTest
  @Outcome(
      id = {"slice, live 64 64", "none, free 0 0"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class DropAgainstSlice extends OneBlock {
    private @Nullable CacheSlice slice;

    @Actor
    public void drops() {
      shared.drop();
    }

    @Actor
    public void comes() {
      slice = slice();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = (slice == null ? "none, " : "slice, ") + state();
      if (slice != null) {
        slice.release();
      }
    }
  }

  /** One reader releases, another comes and goes, and the block stays the cache's. */
  @JCStressTest
  @Outcome(id = "live 0 0", expect = Expect.ACCEPTABLE)
  @State
  public static class ReleaseAgainstSlice extends OneBlock {
    private final CacheSlice slice = slice();

    @Actor
    public void releases() {
      slice.release();
    }

    @Actor
    public void comesAndGoes() {
      CacheSlice other = slice();
      if (other != null) {
        other.release();
      }
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = state();
      shared.drop();
    }
  }
}
