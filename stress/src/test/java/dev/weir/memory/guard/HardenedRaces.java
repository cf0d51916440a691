package dev.weir.memory.guard;

import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.purge.PurgePolicy;
import dev.weir.stress.SilentPages;
import java.util.Objects;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** Hardened blocks end, and leave the quarantine, while others look for their pages. */
public final class HardenedRaces {
  private static final long LIMIT_BYTES = 1 << 20;
  private static final Reservation ADDRESSES =
      Reservation.reserve(NativeMemory.system(), LIMIT_BYTES);

  private HardenedRaces() {}

  /** A block of a sample: its segment is closed by whoever comes to it. */
  private abstract static class OneBlock {
    final PageHeap pages =
        new PageHeap(
            NativeMemory.system(),
            ADDRESSES,
            LIMIT_BYTES,
            0,
            1,
            PurgePolicy.dense(),
            new SilentPages());
    final Hardener hardener = new Hardener(Hardening.oneIn(2), "raced", LIMIT_BYTES, () -> {});
    final Guard guard = Objects.requireNonNull(hardener.tryGuard(pages, 100));

    void release() {
      guard.claimRelease();
      guard.finishRelease();
    }

    /** Gives everything up; says whether the pages are free then. */
    boolean findsThePages() {
      hardener.giveUp(Long.MAX_VALUE);
      return pages.totals().liveBytes() == 0;
    }
  }

  /** Two threads that need room find the pages of a released block, whichever of them closes it. */
  @JCStressTest
  @Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "the pages are free")
  @State
  public static class TwoNeedThePages extends OneBlock {
    {
      release();
    }

    @Actor
    public void one(ZZZ_Result result) {
      result.r1 = findsThePages();
    }

    @Actor
    public void other(ZZZ_Result result) {
      result.r2 = findsThePages();
    }

    @Arbiter
    public void after(ZZZ_Result result) {
      result.r3 = hardener.figures().quarantinedBlocks() == 0;
    }
  }

  /** A block is released while the quarantine is given up: it rests, or its pages are free. */
  @JCStressTest
  @Outcome(
      id = {"true, true, true", "true, false, true"},
      expect = Expect.ACCEPTABLE,
      desc = "before or after, and nothing is lost")
  @State
  public static class ReleaseMeetsGiveUp extends OneBlock {
    @Actor
    public void releaser(ZZZ_Result result) {
      release();
      result.r1 = true;
    }

    @Actor
    public void needsRoom(ZZZ_Result result) {
      result.r2 = findsThePages();
    }

    @Arbiter
    public void after(ZZZ_Result result) {
      result.r3 = findsThePages() && hardener.figures().besideBytes() == 0;
    }
  }
}
