package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What other threads have a heap give back beside its owner. */
class HeapTrimmerTest extends OwnedSlots {
  @Test
  void whatOthersHaveFreedOfASlabIsLookedAfterWhereItRests() throws InterruptedException {
    List<Slot> first = take(SLOTS, SIZE_CLASS);
    List<Slot> second = take(SLOTS, SIZE_CLASS);
    first.subList(1, SLOTS).forEach(this::free);
    live.removeAll(second);
    elsewhere(() -> second.forEach(Slot::free));
    elsewhere(owned::retireIdle); // Sees the slab as the current one, and leaves it alone.
    assertThat(owned.looksRetirable()).isFalse();

    Slot next = take(SIZE_CLASS);
    assertThat(slab(next)).isSameAs(slab(first.getFirst()));
    assertThat(owned.looksRetirable()).isTrue();
    elsewhere(owned::retireIdle);
    assertThat(owned.slabs()).containsExactly(slab(next));
  }

  /** Who replaces the mark of a full slab may be interrupted before its heap is told. */
  @Test
  void aFullSlabOfWhichNobodyHasToldYetIsLookedAfterBesideItsOwner() throws InterruptedException {
    List<Slot> ofFull = take(SLOTS, SIZE_CLASS);
    take(SIZE_CLASS);
    live.removeAll(ofFull);
    Slab full = slab(ofFull.getFirst());
    elsewhere(() -> {
      assertThat(full.pushRemote(ofFull.getFirst().number())).isTrue();
      ofFull.subList(1, SLOTS).forEach(Slot::free);
      owned.trim();
    });
    assertThat(pages.totals().liveBytes()).isEqualTo(SLOT_BYTES);

    elsewhere(() -> Heap.notifyOwner(full));
  }

  @Test
  void aSlabThatATrimHasPassedByIsRetiredWithItsLastSlot() throws InterruptedException {
    int sizeClass = SizeClasses.classOf(1 << 10);
    int slotsOfASlab = SizeClasses.spanSize(sizeClass).bytes() >> 10;
    List<Slot> slots = take(slotsOfASlab, sizeClass);
    take(LocalSlots.COMMIT_STEP_BYTES >> 10, sizeClass); // Without an idle page.
    freeElsewhere(slots.getFirst());
    elsewhere(owned::trim); // One slot is less than a page.
    assertThat(owned.looksRetirable()).as("it is told of next time").isTrue();
    slots.subList(1, slotsOfASlab).forEach(this::free);
    assertThat(owned.slabs()).doesNotContain(slab(slots.getFirst()));
  }

  @Test
  void aSlabThatATrimCouldNotTakeIsRetiredWithItsLastSlot() throws InterruptedException {
    List<InsidePurge> underWay = new ArrayList<>();
    OwnedHeap held = new OwnedHeap(pages, task -> {}, shared, underWay::add);
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 2 * SLOTS; i++) {
      slots.add(held.tryAllocate(SIZE_CLASS, Slot.FACTORY));
    }
    Slab trimmed = slab(slots.getFirst());
    slots.get(0).free();
    slots.get(1).free();
    held.lock.lock();
    held.unlinks().unlinkForPurger(trimmed);
    held.leave();
    assertThat(trimmed.isBeingPurged()).isTrue();
    elsewhere(slots.get(2)::free);
    elsewhere(held::trim); // Somebody gives pages of it back: it is left alone.
    underWay.forEach(InsidePurge::run);
    slots.subList(3, SLOTS).forEach(Slot::free);
    assertThat(held.slabs()).doesNotContain(trimmed);

    slots.subList(SLOTS, 2 * SLOTS).forEach(Slot::free);
    held.close();
  }

  /** Nobody is told of the last slot of the slab: those that others had freed were on the way. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void whatTheOwnerPutsBackWhileSomebodyTakesIsLookedAtLater(int ownFrees) throws Exception {
    List<Slot> slots = take(SLOTS, SIZE_CLASS);
    take(SIZE_CLASS);
    Slab slab = slab(slots.getFirst());
    for (Slot slot : slots.subList(2, SLOTS)) {
      freeElsewhere(slot);
    }
    owned.lock.lock();
    owned.attend(/* alone= */ true);
    owned.lock.unlock();
    take(SLOTS - 2 - ownFrees, SIZE_CLASS);
    assertThat(slab.freeBytes()).isEqualTo(ownFrees * SLOT_BYTES);
    freeElsewhere(slots.get(1));

    List<InsidePurge> purges = new ArrayList<>();
    owned.lock.lock();
    assertThat(slab.tryBeginSteal(Slab.ALL)).isTrue();
    char[] taken = new char[SLOTS];
    int count = slab.endStealAll(Slab.ALL, taken);
    free(slots.getFirst());
    assertThat(slab.tryLeaveAll(taken, count)).isFalse();
    owned.unlinks().purge(slab, slab.unlinkTaken(taken, count, pages.pageBytes()), purges::add);
    owned.lock.unlock();
    purges.forEach(InsidePurge::run);

    assertThat(new SlabSurvey(pages).isDue(slab)).isTrue();
  }

  /**
   * The pages of a retired slab of another class go to a new one, of which one slot is committed.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPartlyCommittedSlabGivesBackPagesThatItHasNeverUsed(boolean byOwner)
      throws InterruptedException {
    List<Slot> full = take(2 * SLOTS, HALF_SIZE_CLASS);
    take(SLOTS, SIZE_CLASS).forEach(this::free);
    owned.trim();
    Slot first = take(HALF_SIZE_CLASS);
    free(full.getFirst());
    take(HALF_SIZE_CLASS);
    assertThat(slab(first).state()).isEqualTo(SlabState.PARTLY_COMMITTED);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOTS * SLOT_BYTES);

    if (byOwner) {
      owned.trim();
    } else {
      elsewhere(owned::trim);
    }
    assertThat(pages.totals().liveBytes()).isEqualTo(SLOTS * SLOT_BYTES + SLOT_BYTES / 2);
    assertThat(take(HALF_SIZE_CLASS).home()).isSameAs(first.home());
  }

  /** All its slots have come back, while its owner gave pages of it back. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEmptySlabThatCouldNotBeTakenIsRetiredByTheNextLook(boolean byTrim)
      throws InterruptedException {
    List<InsidePurge> underWay = new ArrayList<>();
    OwnedHeap held = new OwnedHeap(pages, task -> {}, shared, underWay::add);
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 2 * SLOTS; i++) {
      slots.add(held.tryAllocate(SIZE_CLASS, Slot.FACTORY));
    }
    Slab emptied = slab(slots.getFirst());
    slots.get(0).free();
    held.lock.lock();
    held.unlinks().unlinkForPurger(emptied);
    held.leave();
    elsewhere(() -> slots.subList(1, SLOTS).forEach(Slot::free));
    // Each tells of it, also when the slab's next local free is to tell already.
    for (int i = 0; i < 3; i++) {
      elsewhere(byTrim ? held::trim : held::retireIdle);
    }
    underWay.forEach(InsidePurge::run);
    assertThat(held.slabs()).contains(emptied);

    elsewhere(held::retireIdle);
    assertThat(held.slabs()).doesNotContain(emptied);
    slots.subList(SLOTS, 2 * SLOTS).forEach(Slot::free);
    held.close();
  }

  /** The Java heap is full, once it has heard of what it was to look for. */
  @Test
  void aLookThatFailsIsTakenAgain() throws InterruptedException {
    List<Slot> slots = take(SLOTS + 1, SIZE_CLASS);
    freeElsewhere(slots.getFirst());
    freeElsewhere(slots.get(1));
    Runnable failing =
        () -> {
          owned.lock.lock();
          owned.attend(/* alone= */ false);
          owned.lock.unlock();
          assertThat(owned.looksRetirable()).as("as far as others see").isFalse();
          throw new OutOfMemoryError("made to fail");
        };
    assertThatThrownBy(() -> HeapTrimmer.look(owned, failing)).isInstanceOf(OutOfMemoryError.class);
    assertThat(owned.looksRetirable()).isTrue();
  }

  @Test
  void aStepThatFailsIsTakenAgain() {
    take(SIZE_CLASS);
    owned.retireIdle();
    assertThat(owned.looksRetirable()).isFalse();
    List<Slab> failing =
        new AbstractList<>() {
          @Override
          public Slab get(int index) {
            throw new OutOfMemoryError("made to fail");
          }

          @Override
          public int size() {
            return 1;
          }
        };
    assertThatThrownBy(() -> HeapTrimmer.unlink(owned, failing, /* agedOnly= */ false))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(owned.looksRetirable()).isTrue();
  }

  @Test
  void slotsThatTheOwnerHasNotTakenSinceTheLastSurveyGoBesideIt() throws InterruptedException {
    SlabSurvey survey = new SlabSurvey(pages);
    for (Slot slot : take(SLOTS, SIZE_CLASS)) {
      free(slot);
    }
    elsewhere(survey::unlinkAged);
    assertThat(pages.totals().liveBytes()).isEqualTo((long) SLOTS * SLOT_BYTES);

    for (Slot slot : take(2, SIZE_CLASS)) {
      free(slot);
    }
    elsewhere(survey::unlinkAged);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOT_BYTES);

    take(2, SIZE_CLASS);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOT_BYTES);
  }

  /** The owner is at work under its lock for longer than a survey waits. */
  @Test
  void whatCouldNotBeLookedAtIsLookedAtAgain() throws InterruptedException {
    take(SLOTS + 1, SIZE_CLASS);
    owned.retireIdle();
    assertThat(owned.looksRetirable()).isFalse();
    owned.lock.lock();
    elsewhere(() -> HeapTrimmer.unlink(owned, owned.slabs(), /* agedOnly= */ false));
    owned.leave();
    assertThat(owned.looksRetirable()).isTrue();
  }
}
