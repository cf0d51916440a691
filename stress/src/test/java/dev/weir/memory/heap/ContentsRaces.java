package dev.weir.memory.heap;

import dev.weir.memory.os.AddressSpace;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.purge.PurgePolicy;
import dev.weir.stress.SilentPages;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * What the last holder of a slot wrote happens before what the next one reads or writes: the
 * hand-off itself publishes the memory and the block's plain fields.
 */
public final class ContentsRaces {
  private static final long LIMIT_BYTES = 16L << 30;
  private static final PageHeap PAGES = realMemory();

  private ContentsRaces() {}

  private static PageHeap realMemory() {
    NativeMemory os = NativeMemory.system();
    return new PageHeap(
        os,
        Reservation.reserve(os, LIMIT_BYTES),
        LIMIT_BYTES,
        0,
        SizeClasses.COUNT,
        PurgePolicy.dense(),
        new SilentPages());
  }

  /** Rests in its slot, and is used by whoever has the slot: with plain accesses. */
  private static final class Resting {
    static final BlockFactory<Resting> FACTORY =
        (home, number, found) -> {
          if (found instanceof Resting resting) {
            return resting;
          }
          Resting fresh = new Resting(new Slot((Slab) home, number));
          home.leave(number, fresh);
          return fresh;
        };

    final Slot slot;
    int written;

    Resting(Slot slot) {
      this.slot = slot;
    }

    long address() {
      return slot.slab().blockAddress(slot.number());
    }

    void write(int value) {
      AddressSpace.ALL.set(ValueLayout.JAVA_INT, address(), value);
      written = value;
    }
  }

  /** A slot changes hands; the next allocation has to look for what others have freed. */
  private abstract static class OneSlot {
    final Heap heap = new SharedHeap.Stripe(PAGES);
    final Resting last = take();
    private final Slot[] others;
    private Resting next;

    OneSlot(int othersInUse) {
      others = new Slot[othersInUse];
      for (int i = 0; i < othersInUse; i++) {
        others[i] = SmallHeap.take(heap);
      }
      last.write(0);
    }

    private Resting take() {
      Resting taken = heap.allocateSlot(SmallHeap.SIZE_CLASS, Resting.FACTORY);
      if (taken == null) {
        throw new AssertionError("refused");
      }
      return taken;
    }

    void writeAndFree() {
      last.write(1);
      last.slot.freeRemotely();
    }

    /** What the memory and the object hold; -1 where another slot was had. */
    void takeAndRead(II_Result seen) {
      next = take();
      boolean same = next == last;
      seen.r1 = same ? AddressSpace.ALL.get(ValueLayout.JAVA_INT, next.address()) : -1;
      seen.r2 = same ? next.written : -1;
    }

    void goBack() {
      next.slot.freeInto(heap);
      SmallHeap.freeAllBut(0, others, heap);
      heap.retireEmptySlabs();
    }
  }

  /** Through the remote stack of a slab in use. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the same slot")
  @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "another slot")
  @State
  public static class ThroughTheRemoteStack extends OneSlot {
    public ThroughTheRemoteStack() {
      super(0);
    }

    @Actor
    public void last() {
      writeAndFree();
    }

    @Actor
    public void next(II_Result seen) {
      takeAndRead(seen);
    }

    @Arbiter
    public void afterwards(II_Result seen) {
      goBack();
    }
  }

  /** Through the arrivals of a heap: the slab was full. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the same slot")
  @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "another slot")
  @State
  public static class ThroughTheArrivals extends OneSlot {
    public ThroughTheArrivals() {
      super(SmallHeap.SLOTS);
    }

    @Actor
    public void last() {
      writeAndFree();
    }

    @Actor
    public void next(II_Result seen) {
      takeAndRead(seen);
    }

    @Arbiter
    public void afterwards(II_Result seen) {
      goBack();
    }
  }
}
