package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From which slab the next slot comes: a free one before one for which pages become live. */
class SlabListsTest extends OwnedSlots {

  /** Two slots of a slab with room for eight that has been put aside, and no slot is free. */
  private List<Slot> partlyCommitted() {
    return partlyCommitted(2);
  }

  private List<Slot> partlyCommitted(int count) {
    List<Slot> kept = take(SLOTS, SIZE_CLASS);
    List<Slot> full = take(2 * SLOTS, SIZE_CLASS);
    while (kept.size() > count) {
      free(kept.removeLast());
    }
    owned.trim();
    free(full.getFirst());
    take(SIZE_CLASS);
    assertThat(slab(kept.getFirst()).state()).isEqualTo(SlabState.PARTLY_COMMITTED);
    assertThat(pages.totals().liveBytes()).isEqualTo((count + 2 * SLOTS) * SLOT_BYTES);
    return kept;
  }

  @Test
  void aFreeSlotIsTakenBeforeOneWhosePagesWereGivenBack() {
    List<Slot> first = take(SLOTS, SIZE_CLASS);
    List<Slot> second = take(SLOTS, SIZE_CLASS);
    take(SIZE_CLASS);
    for (int i = 2; i < SLOTS; i++) {
      free(first.get(i));
    }
    owned.trim();
    free(second.getFirst());
    long before = pages.totals().liveBytes();

    assertThat(take(SIZE_CLASS).home()).isSameAs(second.getFirst().home());
    assertThat(pages.totals().liveBytes()).isEqualTo(before);

    assertThat(take(SIZE_CLASS).home())
        .as("before a slab is opened")
        .isSameAs(first.getFirst().home());
  }

  @Test
  void aPartlyCommittedSlabComesBackWithASlotThatItsOwnerFrees() {
    Slot freed = partlyCommitted().getFirst();
    free(freed);

    assertThat(slab(freed).state()).isNotEqualTo(SlabState.PARTLY_COMMITTED);
    assertThat(take(SIZE_CLASS)).isEqualTo(freed);
    assertThat(pages.totals().liveBytes()).isEqualTo((2 + 2 * SLOTS) * SLOT_BYTES);
  }

  @Test
  void aPartlyCommittedSlabComesBackWithASlotThatAnotherThreadFrees() throws InterruptedException {
    Slot freed = partlyCommitted().getFirst();
    freeElsewhere(freed);
    assertThat(owned.looksRetirable()).isTrue();

    assertThat(take(SIZE_CLASS)).isEqualTo(freed);
    assertThat(slab(freed).state()).isNotEqualTo(SlabState.PARTLY_COMMITTED);
    assertThat(pages.totals().liveBytes()).isEqualTo((2 + 2 * SLOTS) * SLOT_BYTES);
  }

  /** Whoever frees the first slot of a full slab may be interrupted before it tells the heap. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTrimTakesWhatNobodyHasToldOf(boolean isDrained) {
    Slot freed = take(SLOTS, SIZE_CLASS).getFirst();
    take(SIZE_CLASS);
    owned.close();
    live.remove(freed);
    long before = pages.totals().liveBytes();
    assertThat(slab(freed).pushRemote(freed.number())).as("it was full").isTrue();
    if (isDrained) {
      slab(freed).drainRemote(); // By a survey.
    }

    shared.trim();
    assertThat(pages.totals().liveBytes()).isEqualTo(before - SLOT_BYTES);
    Heap.notifyOwner(slab(freed));
  }

  @Test
  void aPartlyCommittedSlabThatOthersEmptyIsRetired() throws InterruptedException {
    for (Slot slot : partlyCommitted()) {
      freeElsewhere(slot);
    }
    elsewhere(owned::retireIdle);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOTS * SLOT_BYTES);
  }

  @Test
  void anHeirTakesPartlyCommittedSlabsOver() {
    List<Slot> two = partlyCommitted();
    owned.close();
    Slot third = shared.tryAllocate(SIZE_CLASS, Slot.FACTORY);
    assertThat(third).isNotNull();
    live.add(third);
    assertThat(third.home()).isSameAs(two.getFirst().home());
  }

  @Test
  void whatOthersFreeOfAPartlyCommittedSlabIsFoundByItsHeir() throws InterruptedException {
    List<Slot> two = partlyCommitted();
    owned.close();
    for (Slot slot : two) {
      freeElsewhere(slot);
    }
    shared.retireIdle(/* takesOver= */ true);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOTS * SLOT_BYTES);
  }

  /** As a loop does that was asked to, and is about to be told of the slot. */
  @Test
  void theLastSlotOfAPartlyCommittedSlabIsHeardOfThoughItsHeapCloses() throws InterruptedException {
    Slot last = partlyCommitted(1).getFirst();
    elsewhere(owned::requestClose);

    free(last);
    assertThat(owned.isHandedOver()).isTrue();
    shared.retireIdle(/* takesOver= */ true);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOTS * SLOT_BYTES);
  }

  /** Nobody would free a slot of it. */
  @Test
  void anEmptySlabIsNotPutAside() {
    List<Slot> full = take(SLOTS, SIZE_CLASS);
    Slot only = take(SIZE_CLASS);
    free(only);
    List<InsidePurge> purges = unlink(slab(only));
    free(full.getFirst());

    take(SIZE_CLASS);
    assertThat(slab(only).state()).isNotEqualTo(SlabState.PARTLY_COMMITTED);
    purges.forEach(InsidePurge::run);
    assertThat(owned.looksRetirable()).isTrue();
    owned.retireIdle();
    assertThat(owned.slabs()).containsExactly(slab(full.getFirst()));
  }

  @Test
  void whatAnEmptySlabHasHeldIsUsedBeforeMoreIs() {
    List<Slot> full = take(SLOTS, SIZE_CLASS);
    Slot only = take(SIZE_CLASS);
    free(only);
    List<InsidePurge> purges = unlink(slab(only));
    free(full.getFirst());
    take(SIZE_CLASS);
    purges.forEach(InsidePurge::run);

    Slot next = take(SIZE_CLASS);
    assertThat(next.home().blockAddress(next.number()))
        .isEqualTo(only.home().blockAddress(only.number()));
    assertThat(owned.slabs()).hasSize(2);
  }

  private List<InsidePurge> unlink(Slab slab) {
    List<InsidePurge> purges = new ArrayList<>();
    owned.unlinks().unlinkFree(List.of(slab), /* agedOnly= */ false, purges::add);
    assertThat(purges).isNotEmpty();
    return purges;
  }

  @Test
  void whatIsRefusedLeavesNoEmptySlabsBehind() {
    int limitSlots = (int) (LIMIT_BYTES / SLOT_BYTES);
    take(limitSlots - 1, SIZE_CLASS);
    take(HALF_SIZE_CLASS);
    for (int i = 0; i < 100; i++) {
      assertThat(owned.tryAllocate(SIZE_CLASS, Slot.FACTORY)).isNull();
      assertThat(owned.tryAllocate(SIZE_CLASS - 1, Slot.FACTORY)).isNull();
    }
    assertThat(owned.slabs().size()).isLessThanOrEqualTo(limitSlots / SLOTS + 3);
  }

  /** What one class has no use for goes back as pages of another's slabs become live again. */
  @Test
  void inRandomReplacementNoMoreLiesFreeThanMay() {
    int count = 4_096;
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < count; i++) {
      take(anyClass(random));
    }
    long mostFreeBytes = 0;
    for (int i = 0; i < 200_000; i++) {
      int victim = random.nextInt(count);
      live.set(victim, live.getLast()).free();
      live.removeLast();
      take(anyClass(random));
      if (i % 1_000 == 0) {
        mostFreeBytes = Math.max(mostFreeBytes, pages.totals().liveBytes() - blockBytes());
      }
    }
    assertThat(mostFreeBytes).isBetween(1L << 20, pages.usefulInsideBytes() + (2L << 20));
  }

  private static int anyClass(SplittableRandom random) {
    return SizeClasses.classOf(1 + random.nextInt(64 << 10));
  }

  private long blockBytes() {
    return live.stream().mapToLong(slot -> slab(slot).slotBytes()).sum();
  }
}
