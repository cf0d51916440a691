package dev.weir.memory.heap;

import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * A slab of which not every slot is committed is put aside, or taken back, while another thread
 * frees a slot of it.
 */
public final class PartlyCommittedRaces {
  private PartlyCommittedRaces() {}

  /** Two slots of a slab with room for eight, the current one, and a free slot in another. */
  private abstract static class TwoOfEight {
    final SmallHeap small = new SmallHeap();
    final Slot[] full = small.takeSlab();
    final Slot[] two = {small.take(), small.take()};
    final Slab slab = two[0].slab();

    TwoOfEight() {
      full[0].freeInto(small.heap);
    }

    String rest(Heap last, int freed, Slot... left) {
      SmallHeap.freeAllBut(1, full, last);
      SmallHeap.freeAllBut(freed, two, last);
      return small.rest(last, left);
    }
  }

  /** The two are partly committed: the other slab is the current one, and exhausted. */
  private abstract static class PartlyCommitted extends TwoOfEight {
    final Slot ninth = small.take();

    PartlyCommitted() {
      if (slab.state() != SlabState.PARTLY_COMMITTED) {
        throw new AssertionError("not put aside");
      }
    }
  }

  /** The owner needs another slab: the slot that comes back is used, or brings the slab back. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeWhilePutAside extends TwoOfEight {
    private Slot taken;

    @Actor
    public void remote() {
      two[0].freeRemotely();
    }

    @Actor
    public void owner() {
      taken = small.take();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = SmallHeap.lookAfter(small.heap, slab, taken.slab() == slab ? 2 : 1);
      seen.r1 = found.equals("found") ? rest(small.heap, 1, taken) : found;
    }
  }

  /** No slot is free: the owner takes the one that comes back, or commits another beside it. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeWhileCommitted extends PartlyCommitted {
    private Slot taken;

    @Actor
    public void remote() {
      two[0].freeRemotely();
    }

    @Actor
    public void owner() {
      taken = small.take();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = taken.slab() == slab ? "found" : "another slab is opened";
      if (found.equals("found")) {
        found = SmallHeap.lookAfter(small.heap, slab, 2);
      }
      seen.r1 = found.equals("found") ? rest(small.heap, 1, ninth, taken) : found;
    }
  }

  /** Both slots come back at once: the slab is retired. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class TwoFreesEmptyIt extends PartlyCommitted {
    @Actor
    public void first() {
      two[0].freeRemotely();
    }

    @Actor
    public void second() {
      two[1].freeRemotely();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = SmallHeap.lookAfter(small.heap, slab, 0);
      seen.r1 = found.equals("found") ? rest(small.heap, 2, ninth) : found;
    }
  }

  /** The heap hands it over, as what it is. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeWhileHandedOver extends PartlyCommitted {
    private final Heap heir = small.newHeap();

    @Actor
    public void remote() {
      two[0].freeRemotely();
    }

    @Actor
    public void closing() {
      small.heap.handOverTo(heir);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = SmallHeap.lookAfter(heir, slab, 1);
      seen.r1 = found.equals("found") ? rest(heir, 1, ninth) : found;
    }
  }

  /**
   * Its owner and another thread free the slots of it, while somebody beside the owner gives back
   * pages that it has never used, and whatever else lies free: it is found empty, and retired.
   */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeWhileTrimmedBesideTheOwner extends PartlyCommitted {
    public FreeWhileTrimmedBesideTheOwner() {
      int slabPages = SmallHeap.SLOTS * slab.slotBytes() / small.pages.pageBytes();
      if (!small.pages.commit(slab, 0, slabPages)) {
        throw new AssertionError("refused");
      }
    }

    @Actor
    public void remote() {
      two[0].freeRemotely();
    }

    @Actor
    public void owner() {
      if (slab.push(two[1].number())) {
        small.heap.lock.lock();
        small.heap.notified(slab);
        small.heap.lock.unlock();
      }
    }

    @Actor
    public void beside() {
      small.heap.lock.lock();
      HeapTrimmer.unlinkBesideOwner(
          small.heap, List.of(slab), /* agedOnly= */ false, InsidePurge::run);
      small.heap.lock.unlock();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = lookAfterTheEmpty();
      seen.r1 = found.equals("found") ? rest(small.heap, 2, ninth) : found;
    }

    /** As {@link SmallHeap#lookAfter}: a slab that is retired without a page is closed at once. */
    private String lookAfterTheEmpty() {
      if (slab.ownedBy != null && !small.heap.looksRetirable()) {
        return "unnoticed";
      }
      small.heap.retireEmptySlabs();
      return slab.ownedBy == null ? "found" : "not retired";
    }
  }
}
