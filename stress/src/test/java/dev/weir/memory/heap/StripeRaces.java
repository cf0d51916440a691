package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Threads share a stripe: who does not get its lock leaves the slot in the remote stack. */
public final class StripeRaces {
  private static final Budget ROOT = Budget.root("root", () -> Long.MAX_VALUE, 0, () -> 0);

  private StripeRaces() {}

  private abstract static class OneStripe {
    final PageHeap pages = SmallHeap.newPageHeap();
    final SharedHeap shared = new SharedHeap(pages, 1, InsidePurge::run);
    final Block first = allocate();
    final Block second = allocate();
    Block third;

    Block allocate() {
      return shared.tryAllocate(SmallHeap.SIZE_CLASS, Block.factory(ROOT));
    }

    /** As the purger does, which only looks where a stripe seems to have something. */
    String rest() {
      if (third != null) {
        third.release();
      }
      shared.retireIdle(/* takesOver= */ true);
      pages.checkInvariants();
      long liveBytes = pages.totals().liveBytes();
      return liveBytes == 0 ? "rests" : liveBytes + " B live";
    }
  }

  /** Two releases. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class ReleaseAgainstRelease extends OneStripe {
    @Actor
    public void one() {
      first.release();
    }

    @Actor
    public void other() {
      second.release();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = rest();
    }
  }

  /** A release and an allocation. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class ReleaseAgainstAllocation extends OneStripe {
    @Actor
    public void one() {
      first.release();
      second.release();
    }

    @Actor
    public void other() {
      third = allocate();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = rest();
    }
  }

  /** Two releases while somebody trims the stripe. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class ReleaseAgainstTrim extends OneStripe {
    @Actor
    public void one() {
      first.release();
      second.release();
    }

    @Actor
    public void other() {
      shared.trim();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = rest();
    }
  }
}
