package dev.weir.memory.heap;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * A slab is retired while the last of its slots come free elsewhere: none is lost, none doubled.
 */
public final class RetiringRaces {
  private RetiringRaces() {}

  /** The owner looks for empty slabs at the moment in which one becomes empty. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class LastFreeAgainstTheLook {
    private final SmallHeap small = new SmallHeap();
    private final Slot only = small.take();

    @Actor
    public void remote() {
      only.freeRemotely();
    }

    @Actor
    public void owner() {
      small.heap.retireEmptySlabs();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = SmallHeap.lookAfter(small.heap, only.slab(), 0);
      seen.r1 = found.equals("found") ? small.rest() : found;
    }
  }

  /** The same with a slab that is not the current one: nothing but the flag leads to it. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class LastFreeOfAnAvailableSlab extends FullSlab {
    public LastFreeOfAnAvailableSlab() {
      small.freeAllBut(1, slots);
    }

    @Actor
    public void remote() {
      slots[0].freeRemotely();
    }

    @Actor
    public void owner() {
      small.heap.retireEmptySlabs();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = after(ALL);
    }
  }

  /** The last two slots come free, one from each side. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class LastFreesOfBothSides extends FullSlab {
    public LastFreesOfBothSides() {
      small.freeAllBut(2, slots);
    }

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
      seen.r1 = after(ALL);
    }
  }

  /** A full slab is emptied from both sides: it is not retired before it has arrived. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FullSlabEmptiedByBothSides extends FullSlab {
    @Actor
    public void remote() {
      slots[0].freeRemotely();
    }

    @Actor
    public void owner() {
      small.freeAllBut(1, slots);
      small.heap.retireEmptySlabs();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = after(ALL);
    }
  }

  /** The slab is retired and another heap takes it while the free is still on its way out. */
  @JCStressTest
  @Outcome(id = "(retired|used), rests", expect = Expect.ACCEPTABLE)
  @State
  public static class TakenByAnotherHeap extends FullSlab {
    private final Heap other = small.newHeap();
    private final Slot[] taken = new Slot[SmallHeap.SLOTS];

    @Actor
    public void remote() {
      slots[0].freeRemotely();
    }

    @Actor
    public void owner() {
      small.freeAllBut(1, slots);
      small.heap.retireEmptySlabs();
      for (int i = 0; i < taken.length; i++) {
        taken[i] = SmallHeap.take(other);
      }
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      Set<Slot> different = new HashSet<>(List.of(taken));
      boolean moved = taken[0].slab() == slots[0].slab();
      String found = moved ? "found" : SmallHeap.lookAfter(small.heap, slots[0].slab(), 0);
      String rest = "a slot given out twice";
      if (different.size() == taken.length) {
        SmallHeap.freeAllBut(0, taken, other);
        other.retireEmptySlabs();
        rest = found.equals("found") ? small.rest(ninth) : found;
      }
      seen.r1 = (moved ? "retired, " : "used, ") + rest;
    }
  }
}
