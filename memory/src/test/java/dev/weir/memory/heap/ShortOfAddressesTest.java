package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A heap that has no more addresses than its limit needs: three large spans for 1 MiB. */
class ShortOfAddressesTest {
  private static final long LIMIT_BYTES = 1 << 20;

  private final FakeNativeMemory os = new FakeNativeMemory();

  private static List<Slot> allocate(SharedHeap heap, int count, int bytes) {
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Slot slot = heap.tryAllocate(SizeClasses.classOf(bytes), Slot.FACTORY);
      assertThat(slot).isNotNull();
      slots.add(slot);
    }
    return slots;
  }

  @Test
  void aFullSlabGivesBackThePagesBehindItsLastSlotAndIsFoundWhenOneIsFreed() {
    os.limitReservations(9 << 19);
    PageHeap pages = PageHeaps.over(os, LIMIT_BYTES);
    assertThat(pages.reservation().plan().largeSpans()).isEqualTo(3);
    SharedHeap heap = new SharedHeap(pages, 1, InsidePurge::run);
    SlabSurvey survey = new SlabSurvey(pages);
    allocate(heap, 8, 65_536).forEach(Slot::free);
    heap.retireIdle(/* takesOver= */ true);
    List<Slot> others = allocate(heap, 1, 36_864);
    others.addAll(allocate(heap, 1, 40_960));
    others.forEach(Slot::free);
    heap.retireIdle(/* takesOver= */ true);

    List<Slot> slots = allocate(heap, 10, 53_248);
    survey.unlinkAged();
    survey.unlinkAged();
    assertThat(pages.totals().liveBytes()).isEqualTo(10 * 53_248);

    slots.removeFirst().free();
    heap.trim();
    assertThat(pages.totals().liveBytes()).isEqualTo(9 * 53_248);

    slots.forEach(Slot::free);
    heap.trim();
    assertThat(pages.totals().liveBytes()).isZero();
    SlabTotals.checkInvariants(pages);
    pages.checkInvariants();
  }
}
