package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import dev.weir.memory.testing.Workers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** The heap of the thread that runs a test, and the slots that it has taken. */
abstract class OwnedSlots {
  static final long LIMIT_BYTES = 192L << 20;
  static final long SLOT_BYTES = 64 << 10;

  /** Of a slab of {@link #SIZE_CLASS}. */
  static final int SLOTS = 8;

  static final int SIZE_CLASS = SizeClasses.classOf(64 << 10);
  static final int HALF_SIZE_CLASS = SizeClasses.classOf(32 << 10);

  final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  final SharedHeap shared = new SharedHeap(pages, 1, InsidePurge::run);
  final OwnedHeap owned = new OwnedHeap(pages, task -> {}, shared, this::purge);
  final List<Slot> live = new ArrayList<>();

  @AfterEach
  void everythingGoesBack() {
    live.forEach(Slot::free);
    owned.close();
    shared.trim();
    assertThat(pages.totals().liveBytes()).isZero();
    SlabTotals.checkInvariants(pages);
    pages.checkInvariants();
  }

  /** Runs what the heap has unlinked. */
  void purge(InsidePurge purge) {
    purge.run();
  }

  final Slot take(int sizeClass) {
    Slot slot = owned.tryAllocate(sizeClass, Slot.FACTORY);
    assertThat(slot).isNotNull();
    live.add(slot);
    return slot;
  }

  final List<Slot> take(int count, int sizeClass) {
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      slots.add(take(sizeClass));
    }
    return slots;
  }

  final void free(Slot slot) {
    live.remove(slot);
    slot.free();
  }

  final void freeElsewhere(Slot slot) throws InterruptedException {
    live.remove(slot);
    elsewhere(slot::free);
  }

  static void elsewhere(Workers.Work work) throws InterruptedException {
    Workers workers = new Workers();
    workers.platform(work);
    workers.join();
  }

  static Slab slab(Slot slot) {
    return (Slab) slot.home();
  }

  /** Of each of so many slabs one slot is live; the others were freed by another thread. */
  final List<Slab> freedElsewhere(int slabs) throws InterruptedException {
    List<Slot> all = take(slabs * SLOTS, SIZE_CLASS);
    List<Slab> used = all.stream().map(OwnedSlots::slab).distinct().toList();
    for (Slab slab : used) {
      List<Slot> ofSlab = all.stream().filter(slot -> slot.home() == slab).skip(1).toList();
      live.removeAll(ofSlab);
      elsewhere(() -> ofSlab.forEach(Slot::free));
    }
    return used;
  }
}
