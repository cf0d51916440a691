package dev.weir.memory.array;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Slots of an array that are freed by others than its heap's thread, on their way back. */
public final class ArrayRaces {
  private ArrayRaces() {}

  private record Slot(ArraySlab home, int number) {
    void free() {
      home.free(number);
    }
  }

  private abstract static class OneArray {
    final ArrayPool pool = new ArrayPool(() -> 1 << 20, 1, () -> {});
    final ArrayHeap heap = pool.ownedHeap();
    final Slot first = take();
    final Slot second = take();
    Slot third;

    Slot take() {
      return pool.tryAllocate(heap, 16 << 10, (home, number, found) -> new Slot(home, number));
    }

    String rest() {
      if (third != null && third.equals(first)) {
        return "given out twice";
      }
      first.free();
      if (third != null) {
        third.free();
      }
      pool.checkInvariants();
      pool.trim();
      long heldBytes = pool.heldBytes();
      return heldBytes == 0 ? "rests" : heldBytes + " B held";
    }
  }

  /** Two threads free slots of one array, which is sent home once. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeAgainstFree extends OneArray {
    final Slot last = take();

    @Actor
    public void one() {
      second.free();
    }

    @Actor
    public void other() {
      last.free();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = rest();
    }
  }

  /** A slot is freed while the heap looks for one. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeAgainstAllocation extends OneArray {
    @Actor
    public void one() {
      second.free();
    }

    @Actor
    public void other() {
      third = take();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = rest();
    }
  }

  /** A slot is freed while somebody trims the heap. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class FreeAgainstTrim extends OneArray {
    @Actor
    public void one() {
      second.free();
    }

    @Actor
    public void other() {
      pool.trim();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = rest();
    }
  }
}
