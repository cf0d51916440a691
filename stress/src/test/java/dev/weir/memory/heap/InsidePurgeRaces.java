package dev.weir.memory.heap;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Pages inside a slab are purged by one thread while its heap goes on. */
public final class InsidePurgeRaces {
  private InsidePurgeRaces() {}

  private static InsidePurge onlyPurge(SmallHeap small) {
    List<InsidePurge> purges = new ArrayList<>();
    small.heap.unlinks().trim(purges::add);
    if (purges.size() != 1) {
      throw new AssertionError(purges.size() + " purges");
    }
    return purges.getFirst();
  }

  /**
   * The owner needs the slots again. While the purge is under way it leaves the slab alone; after
   * that it makes the pages live once more, and knows that they were not.
   */
  @JCStressTest
  @Outcome(id = "(same|other) slab, rests", expect = Expect.ACCEPTABLE)
  @State
  public static class PurgeAgainstCommit {
    private final SmallHeap small = new SmallHeap();
    private final Slot[] slots = small.takeSlab();
    private final InsidePurge purge;
    private Slot taken;

    public PurgeAgainstCommit() {
      small.freeAllBut(1, slots);
      purge = onlyPurge(small);
    }

    @Actor
    public void purger() {
      purge.run();
    }

    @Actor
    public void owner() {
      taken = small.take();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      boolean same = taken.slab() == slots[0].slab();
      long live = small.pages.totals().liveBytes();
      seen.r1 = same ? "same slab, " : "other slab, ";
      seen.r1 +=
          live == 2L * slots[0].slab().blockBytes()
              ? small.rest(slots[0], taken)
              : live + " B live";
    }
  }

  /** The last slot comes back while the purge ends: one of the two sees that the slab is empty. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class PurgeAgainstTheLastFree {
    private final SmallHeap small = new SmallHeap();
    private final Slot[] slots = small.takeSlab();
    private final Slot ninth = small.take();
    private final InsidePurge purge;

    public PurgeAgainstTheLastFree() {
      small.freeAllBut(1, slots);
      purge = onlyPurge(small);
    }

    @Actor
    public void purger() {
      purge.run();
    }

    @Actor
    public void owner() {
      slots[0].freeInto(small.heap);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = SmallHeap.lookAfter(small.heap, slots[0].slab(), 0);
      seen.r1 = found.equals("found") ? small.rest(ninth) : found;
    }
  }
}
