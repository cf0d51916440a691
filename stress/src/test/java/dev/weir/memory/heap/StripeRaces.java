package dev.weir.memory.heap;

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
  private StripeRaces() {}

  private abstract static class OneStripe {
    final PageHeap pages = SmallHeap.newPageHeap();
    final SharedHeap shared = new SharedHeap(pages, 1, InsidePurge::run);
    final Slot first = allocate();
    final Slot second = allocate();
    Slot third;

    Slot allocate() {
      return shared.tryAllocate(SmallHeap.SIZE_CLASS, Slot.FACTORY);
    }

    /** As the purger does, which only looks where a stripe seems to have something. */
    String rest() {
      if (third != null) {
        third.free();
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
      first.free();
    }

    @Actor
    public void other() {
      second.free();
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
      first.free();
      second.free();
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
      first.free();
      second.free();
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
