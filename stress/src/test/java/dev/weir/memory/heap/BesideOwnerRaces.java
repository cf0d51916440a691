package dev.weir.memory.heap;

import dev.weir.memory.os.ProcessBarrier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * An owner takes and puts back slots while somebody with its heap's lock gives back the pages of
 * those that lie free: each slot is in use, free or gone afterwards.
 */
public final class BesideOwnerRaces {
  private BesideOwnerRaces() {}

  private abstract static class Contended {
    private final SmallHeap small = new SmallHeap();
    private final Slot[] slots = small.takeSlab();
    final Slab slab = slots[0].slab();

    /** What the owner has in the end. */
    final List<Integer> popped = new ArrayList<>();

    /** Half of the slots are free. */
    Contended() {
      for (int i = 0; i < SmallHeap.SLOTS / 2; i++) {
        slab.push(slots[i].number());
      }
    }

    /** One that is live at first. */
    int live(int index) {
      return slots[SmallHeap.SLOTS / 2 + index].number();
    }

    void pop() {
      int number = slab.pop();
      if (number != Slab.NONE_FREE) {
        popped.add(number);
      }
    }

    void unlink() {
      HeapTrimmer.unlinkBesideOwner(
          small.heap, List.of(slab), /* agedOnly= */ false, InsidePurge::run);
    }

    /**
     * Each of the slots that were or became free is in one place, and the pages of no other gone.
     */
    String places(int free) {
      List<Integer> all = new ArrayList<>(popped);
      for (int left = slab.pop(); left != Slab.NONE_FREE; left = slab.pop()) {
        all.add(left);
      }
      if (new HashSet<>(all).size() != all.size()) {
        return "in two places";
      }
      int used = all.size() + SmallHeap.SLOTS - free;
      int committed = slab.committedBytes() / slab.slotBytes();
      return slab.committedSlotsOpaque() == used && committed == used
          ? "each in one"
          : used
              + " used, "
              + slab.committedSlotsOpaque()
              + " committed, "
              + committed
              + " committed";
    }
  }

  /** The owner takes three of the four. */
  @JCStressTest
  @Outcome(id = "each in one", expect = Expect.ACCEPTABLE)
  @State
  public static class OwnerTakes extends Contended {
    @Actor
    public void owner() {
      pop();
      pop();
      pop();
    }

    @Actor
    public void beside() {
      unlink();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = places(SmallHeap.SLOTS / 2);
    }
  }

  /** The owner takes and puts back, by turns. */
  @JCStressTest
  @Outcome(id = "each in one", expect = Expect.ACCEPTABLE)
  @State
  public static class OwnerTakesAndPutsBack extends Contended {
    @Actor
    public void owner() {
      pop();
      slab.push(live(0));
      pop();
      pop();
      slab.push(live(1));
      pop();
    }

    @Actor
    public void beside() {
      unlink();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = places(SmallHeap.SLOTS / 2 + 2);
    }
  }

  /** What is left to the owner again is the owner's, as if nobody had come. */
  @JCStressTest
  @Outcome(id = "each in one", expect = Expect.ACCEPTABLE)
  @State
  public static class TheOtherLeavesAgain extends Contended {
    @Actor
    public void owner() {
      pop();
      slab.push(live(0));
      pop();
      pop();
    }

    @Actor
    public void beside() {
      slab.tryBeginSteal(Slab.ALL);
      ProcessBarrier.heavy();
      slab.endStealAll(Slab.ALL, new char[SmallHeap.SLOTS]);
      slab.cancelSteal();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = places(SmallHeap.SLOTS / 2 + 1);
    }
  }
}
