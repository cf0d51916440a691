package dev.weir.memory.heap;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A slab becomes full, or ceases to be, while another thread frees a slot of it. */
public final class FullMarkRaces {
  private FullMarkRaces() {}

  /** The owner exhausts the slab; the slot that comes back is used, or brings the slab back. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeWhileBecomingFull {
    private final SmallHeap small = new SmallHeap();
    private final Slot[] slots = small.takeSlab();
    private final Slab slab = slots[0].slab();
    private Slot ninth;

    @Actor
    public void remote() {
      slots[0].freeRemotely();
    }

    @Actor
    public void owner() {
      ninth = small.take();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      boolean reused = ninth.equals(slots[0]);
      String found = SmallHeap.lookAfter(small.heap, slab, reused ? 8 : 7);
      small.freeAllBut(1, slots);
      seen.r1 = found.equals("found") ? small.rest(ninth) : found;
    }
  }

  /** The owner frees a slot of a full slab too: whoever is first, the other's slot is seen. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeWhileCeasingToBeFull extends FullSlab {
    @Actor
    public void remote() {
      slots[0].freeRemotely();
    }

    @Actor
    public void owner() {
      slots[1].freeInto(small.heap);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = after(2);
    }
  }

  /** The slab is full, available, current and full again while its arrival is under way. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeWhileFullTwice {
    private final SmallHeap small = new SmallHeap();
    private final Slot[] slots = small.takeSlab();
    private final Slot[] others = small.takeSlab();
    private Slot again;
    private Slot last;

    @Actor
    public void remote() {
      slots[0].freeRemotely();
    }

    @Actor
    public void owner() {
      slots[1].freeInto(small.heap);
      again = small.take();
      last = small.take();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      Slab slab = slots[0].slab();
      int live = 6 + (again.slab() == slab ? 1 : 0) + (last.slab() == slab ? 1 : 0);
      String found = SmallHeap.lookAfter(small.heap, slab, live);
      small.freeAllBut(2, slots);
      small.freeAllBut(0, others);
      seen.r1 = found.equals("found") ? small.rest(again, last) : found;
    }
  }

  /** Two threads free into a full slab: it is sent once, with both slots. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class TwoFreesMeetOneMark extends FullSlab {
    @Actor
    public void first() {
      slots[0].freeRemotely();
    }

    @Actor
    public void second() {
      slots[1].freeRemotely();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = after(2);
    }
  }

  /** Two slabs arrive at once. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class TwoSlabsArrive {
    private final SmallHeap small = new SmallHeap();
    private final Slot[] slots = small.takeSlab();
    private final Slot[] others = small.takeSlab();
    private final Slot last = small.take();

    @Actor
    public void first() {
      slots[0].freeRemotely();
    }

    @Actor
    public void second() {
      others[0].freeRemotely();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = found();
      if (seen.r1.equals("found")) {
        small.freeAllBut(1, slots);
        small.freeAllBut(1, others);
        seen.r1 = small.rest(last);
      }
    }

    private String found() {
      String first = SmallHeap.lookAfter(small.heap, slots[0].slab(), 7);
      return first.equals("found") ? SmallHeap.lookAfter(small.heap, others[0].slab(), 7) : first;
    }
  }

  /** Slabs arrive while the owner takes what has arrived. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class ArrivalsAgainstTheirTaking {
    private final SmallHeap small = new SmallHeap();
    private final Slot[] slots = small.takeSlab();
    private final Slot[] others = small.takeSlab();
    private final Slot last = small.take();

    @Actor
    public void remote() {
      slots[0].freeRemotely();
      others[0].freeRemotely();
    }

    @Actor
    public void owner() {
      small.heap.retireEmptySlabs();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = SmallHeap.lookAfter(small.heap, slots[0].slab(), 7);
      if (found.equals("found")) {
        found = SmallHeap.lookAfter(small.heap, others[0].slab(), 7);
      }
      small.freeAllBut(1, slots);
      small.freeAllBut(1, others);
      seen.r1 = found.equals("found") ? small.rest(last) : found;
    }
  }

  /**
   * The thread that owes the heap a slab comes late: others have taken the slot that it freed, have
   * filled the slab up and freed a slot again. The slab must not be sent twice.
   */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class LateArrival {
    private final SmallHeap small = new SmallHeap();
    private final Slot[] slots = small.takeSlab();
    private final Slot[] others = small.takeSlab();
    private final Slab slab = slots[0].slab();
    private final boolean owed = slab.pushRemote(slots[0].number());
    private final Slot[] taken = new Slot[3];

    @Actor
    public void remote() {
      slots[1].freeRemotely();
      if (owed) {
        Heap.notifyOwner(slab);
      }
    }

    @Actor
    public void owner() {
      slots[2].freeInto(small.heap);
      for (int i = 0; i < taken.length; i++) {
        taken[i] = small.take();
      }
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      int live = 5;
      for (Slot slot : taken) {
        live += slot.slab() == slab ? 1 : 0;
      }
      String found = owed ? SmallHeap.lookAfter(small.heap, slab, live) : "owes nothing";
      small.freeAllBut(3, slots);
      small.freeAllBut(0, others);
      seen.r1 = found.equals("found") ? small.rest(taken) : found;
    }
  }
}
