package dev.weir.memory.heap;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Reservation;
import dev.weir.stress.SilentPages;
import java.util.ArrayList;
import java.util.List;

/**
 * A page heap of its own, a heap on it, and slabs of eight slots: so small that a few operations
 * take a slab through every state of its life. Its addresses are not to be touched.
 *
 * <p>Nothing here synchronizes its callers: what the actors of a test see of each other, they see
 * through the code under test.
 */
final class SmallHeap {
  static final int SLOTS = 8;
  static final int SIZE_CLASS = SizeClasses.classOf(SizeClasses.MAX_SLOT_BYTES);

  private static final long LIMIT_BYTES = 16 << 20;
  private static final NativeMemory OS = new AddressesOnly();
  private static final Reservation ADDRESSES = Reservation.reserve(OS, LIMIT_BYTES);

  final PageHeap pages = newPageHeap();
  final Heap heap = newHeap();

  static PageHeap newPageHeap() {
    return SilentPages.heap(OS, ADDRESSES, LIMIT_BYTES);
  }

  /** Another heap on the same pages. Whoever uses it stands for the holder of its lock. */
  Heap newHeap() {
    return new SharedHeap.Stripe(pages);
  }

  /** Takes a slot; there is always room. */
  Slot take() {
    return take(heap);
  }

  static Slot take(Heap from) {
    Slot slot = from.allocateSlot(SIZE_CLASS, Slot.FACTORY);
    if (slot == null) {
      throw new AssertionError("refused");
    }
    return slot;
  }

  /** Takes every slot of a fresh slab, which is the current one, exhausted. */
  Slot[] takeSlab() {
    Slot[] slots = new Slot[SLOTS];
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = take();
    }
    return slots;
  }

  /** Frees every slot of an array but the first few. */
  void freeAllBut(int kept, Slot[] slots) {
    freeAllBut(kept, slots, heap);
  }

  static void freeAllBut(int kept, Slot[] slots, Heap holder) {
    for (int i = kept; i < slots.length; i++) {
      slots[i].freeInto(holder);
    }
  }

  /**
   * Lets the holder of a heap take what has been freed into a slab from outside, but only if the
   * heap shows that there is something: nobody looks at an idle heap otherwise.
   *
   * @param live how many slots of the slab are in use
   * @return what became of the slab: "found", or what is wrong
   */
  static String lookAfter(Heap heap, Slab slab, int live) {
    boolean due = live == 0 || slab.liveOpaque() > live;
    if (slab.isOpen() && due && !heap.looksRetirable()) {
      return "unnoticed";
    }
    heap.retireEmptySlabs();
    if (live < SLOTS && slab.state().isFull()) {
      return "full though a slot is free";
    }
    if (slab.isOpen() && slab.liveOpaque() != live) {
      return "live " + slab.liveOpaque();
    }
    return slab.isOpen() == live > 0 ? "found" : "open without a block";
  }

  /** Frees what is left, and sees whether everything has gone back, once. */
  String rest(Heap last, Slot... left) {
    List<Slab> slabs = new ArrayList<>();
    for (Slot slot : left) {
      slabs.add(slot.slab());
      slot.freeInto(last);
    }
    last.retireEmptySlabs();
    try {
      slabs.forEach(Slab::checkInvariants);
      pages.checkInvariants();
    } catch (AssertionError e) {
      return e.getMessage();
    }
    if (last.looksRetirable()) {
      return "something arrives at an empty heap";
    }
    long liveBytes = pages.totals().liveBytes();
    return liveBytes == 0 ? "rests" : liveBytes + " B live";
  }

  String rest(Slot... left) {
    return rest(heap, left);
  }

  /** Addresses without memory, and without any synchronization that the real system lacks. */
  private static final class AddressesOnly implements NativeMemory {
    @Override
    public int pageBytes() {
      return 4096;
    }

    @Override
    public boolean canPurge() {
      return true;
    }

    @Override
    public long reserve(long bytes) {
      return 1L << 40;
    }

    @Override
    public void purge(long address, long bytes) {}

    @Override
    public void release(long address, long bytes) {}
  }
}
