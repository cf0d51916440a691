package dev.weir.memory.heap;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A heap is closed and hands its slabs over while other threads free slots of them. */
public final class HandOverRaces {
  private HandOverRaces() {}

  /** A full slab is sent to the heap that had it, or to the one that has it now. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class ArrivalAtAClosingHeap extends FullSlab {
    private final Heap heir = small.newHeap();

    @Actor
    public void remote() {
      slots[0].freeRemotely();
    }

    @Actor
    public void closing() {
      small.heap.handOverTo(heir);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = after(heir, 1);
    }
  }

  /** Somebody trims the heap meanwhile, with its lock, which who closes it holds too. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class ArrivalAtAClosingHeapThatIsTrimmed extends FullSlab {
    private final Heap heir = small.newHeap();

    @Actor
    public void remote() {
      slots[0].freeRemotely();
    }

    @Actor
    public void closing() {
      small.heap.lock.lock();
      small.heap.handOverTo(heir);
      small.heap.lock.unlock();
    }

    @Actor
    public void trimming() {
      HeapTrimmer.trim(small.heap);
      HeapTrimmer.trim(small.heap);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = after(heir, 1);
    }
  }

  /** Two slabs are on their way, one behind the other. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class ArrivalsAtAClosingHeap {
    private final SmallHeap small = new SmallHeap();
    private final Heap heir = small.newHeap();
    private final Slot[] slots = small.takeSlab();
    private final Slot[] others = small.takeSlab();
    private final Slot last = small.take();

    @Actor
    public void remote() {
      slots[0].freeRemotely();
      others[0].freeRemotely();
    }

    @Actor
    public void closing() {
      small.heap.handOverTo(heir);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = SmallHeap.lookAfter(heir, slots[0].slab(), 7);
      if (found.equals("found")) {
        found = SmallHeap.lookAfter(heir, others[0].slab(), 7);
      }
      SmallHeap.freeAllBut(1, slots, heir);
      SmallHeap.freeAllBut(1, others, heir);
      seen.r1 = found.equals("found") ? small.rest(heir, last) : found;
    }
  }

  /** The heir uses a slab whose arrival is still on its way to the closed heap. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class ArrivalAtTheHeirInUse extends FullSlab {
    private final Heap heir = small.newHeap();

    @Actor
    public void remote() {
      slots[0].freeRemotely();
    }

    @Actor
    public void closing() {
      small.heap.handOverTo(heir);
      SmallHeap.freeAllBut(1, slots, heir);
      heir.retireEmptySlabs();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = after(heir, ALL);
    }
  }

  /** The last slot of a slab comes free while it changes hands: one of the two retires it. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class LastFreeIntoASlabInUse {
    private final SmallHeap small = new SmallHeap();
    private final Heap heir = small.newHeap();
    private final Slot only = small.take();

    @Actor
    public void remote() {
      only.freeRemotely();
    }

    @Actor
    public void closing() {
      small.heap.handOverTo(heir);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = SmallHeap.lookAfter(heir, only.slab(), 0);
      seen.r1 = found.equals("found") ? small.rest(heir) : found;
    }
  }
}
