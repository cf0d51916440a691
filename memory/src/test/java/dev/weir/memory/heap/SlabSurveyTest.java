package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which slabs are asked for free pages: all that have some, and not again when they had none. */
class SlabSurveyTest {
  private static final long LIMIT_BYTES = 16 << 20;
  private static final int PAGE_BYTES = 4096;
  private static final int SLOTS_OF_64 = 1024;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final PageHeap pages = PageHeaps.over(os, LIMIT_BYTES);
  private final SharedHeap heap = new SharedHeap(pages, 1, InsidePurge::run);
  private final SlabSurvey survey = new SlabSurvey(pages);
  private final List<Slot> live = new ArrayList<>();

  @AfterEach
  void everythingGoesBack() {
    live.forEach(Slot::free);
    heap.trim();
    assertThat(pages.totals().liveBytes()).isZero();
    SlabTotals.checkInvariants(pages);
    pages.checkInvariants();
  }

  private void allocate(int count, int bytes) {
    for (int i = 0; i < count; i++) {
      Slot slot = heap.tryAllocate(SizeClasses.classOf(bytes), Slot.FACTORY);
      assertThat(slot).isNotNull();
      live.add(slot);
    }
  }

  /** Frees the slots from one to another, except every n-th. */
  private void freeAllButEvery(int n, int from, int to) {
    for (int i = to - 1; i >= from; i--) {
      if (n == 0 || i % n != 0) {
        live.remove(i).free();
      }
    }
  }

  /** Lets so much time go by that whatever is free goes back. */
  private void age() {
    survey.unlinkAged();
    survey.unlinkAged();
  }

  @Test
  void pagesWhoseLastSlotsComeFreeOneByOne() {
    allocate(SLOTS_OF_64, 64);
    freeAllButEvery(PAGE_BYTES / 64, 0, SLOTS_OF_64);
    age();
    assertThat(pages.totals().liveBytes()).isEqualTo(16 * PAGE_BYTES);

    for (int left = 15; left > 0; left--) {
      live.removeLast().free();
      age();
      assertThat(pages.totals().liveBytes()).isEqualTo((long) left * PAGE_BYTES);
    }
  }

  @Test
  void pagesThatASlabTookOverAndNeverUsed() {
    allocate(8, 65_536);
    freeAllButEvery(0, 0, 8);
    heap.retireIdle(/* takesOver= */ true);
    allocate(1, 32_768);
    assertThat(pages.totals().liveBytes()).isEqualTo(8 * 65_536);

    age();
    assertThat(pages.totals().liveBytes()).isEqualTo(32_768);
  }

  @Test
  void pagesOfASlabThatHasAsManyFreeSlotsAsAtTheLastLook() {
    allocate(2 * SLOTS_OF_64, 64);
    freeAllButEvery(2, 0, SLOTS_OF_64);
    age();
    assertThat(pages.totals().liveBytes()).isEqualTo(32 * PAGE_BYTES);

    allocate(SLOTS_OF_64 / 2 + 1, 64);
    live.sort((one, other) -> Long.compare(address(one), address(other)));
    freeAllButEvery(0, 0, SLOTS_OF_64 / 2);
    age();
    assertThat(pages.totals().liveBytes()).isEqualTo((8 + 16 + 1) * PAGE_BYTES);
  }

  /** As many slots are free at each look as at the last. */
  @Test
  void pagesThatAreUsedBetweenTwoLooksStay() {
    for (int look = 0; look < 4; look++) {
      allocate(8, 32_768);
      freeAllButEvery(0, 0, 8);
      survey.unlinkAged();
      assertThat(pages.totals().liveBytes()).as("after look %d", look).isEqualTo(8 * 32_768);
    }
    age();
    assertThat(pages.totals().liveBytes()).isZero();
  }

  @Test
  void whatLiesBelowTheLowWaterMarkOfASlabInUseGoes() {
    allocate(8, 32_768);
    freeAllButEvery(0, 0, 8);
    survey.unlinkAged();

    allocate(2, 32_768);
    freeAllButEvery(0, 0, 2);
    survey.unlinkAged();
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * 32_768);

    allocate(2, 32_768);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * 32_768);
  }

  /** A look found no whole page; since then others of them have come free. */
  @Test
  void aSlabInUseIsLookedAtAgainOnceItsIdleSlotsHaveBeenUsed() {
    int half = PAGE_BYTES / 2;
    allocate(128, half);
    freeAllButEvery(2, 0, 128);
    survey.unlinkAged();
    stir(half);
    survey.unlinkAged();
    assertThat(pages.totals().liveBytes()).as("each page has a live slot").isEqualTo(128 * half);

    // As many slots are free as before, but on whole pages.
    allocate(64, half);
    live.sort((one, other) -> Long.compare(address(one), address(other)));
    freeAllButEvery(0, 0, 64);
    for (int look = 0; look < 3; look++) {
      stir(half);
      survey.unlinkAged();
    }
    assertThat(pages.totals().liveBytes()).isLessThanOrEqualTo(66 * half);
  }

  /** Takes a slot and puts it back. */
  private void stir(int bytes) {
    allocate(1, bytes);
    live.removeLast().free();
  }

  private static long address(Slot slot) {
    return slot.home().blockAddress(slot.number());
  }

  @Test
  void aSlabWithoutAFreePageIsLookedAtOnce() {
    allocate(SLOTS_OF_64, 64);
    freeAllButEvery(2, 0, SLOTS_OF_64);
    age();
    Slab slab = (Slab) live.getFirst().home();
    assertThat(survey.isDue(slab)).isFalse();

    live.removeLast().free();
    assertThat(survey.isDue(slab)).isTrue();
  }
}
