package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.Workers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From which slab the next slot comes: a free one before one for which pages become live. */
class WaitingSlabsTest {
  private static final long LIMIT_BYTES = 256L << 20;
  private static final long SLOT_BYTES = 64 << 10;
  private static final int SLOTS = 8;
  private static final int SIZE_CLASS = SizeClasses.classOf(64 << 10);
  private static final int HALF_SIZE_CLASS = SizeClasses.classOf(32 << 10);

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  private final SharedHeap shared = new SharedHeap(pages, 1, InsidePurge::run);
  private final OwnedHeap owned = new OwnedHeap(pages, task -> {}, shared, InsidePurge::run);
  private final List<Slot> live = new ArrayList<>();

  @AfterEach
  void everythingGoesBack() {
    live.forEach(Slot::free);
    owned.close();
    shared.trim();
    assertThat(pages.totals().liveBytes()).isZero();
    SlabTotals.checkInvariants(pages);
    pages.checkInvariants();
  }

  private Slot take(int sizeClass) {
    Slot slot = owned.tryAllocate(sizeClass, Slot.TENANTS);
    assertThat(slot).isNotNull();
    live.add(slot);
    return slot;
  }

  private List<Slot> take(int count, int sizeClass) {
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      slots.add(take(sizeClass));
    }
    return slots;
  }

  private void free(Slot slot) {
    live.remove(slot);
    slot.free();
  }

  private void freeElsewhere(Slot slot) throws InterruptedException {
    live.remove(slot);
    elsewhere(slot::free);
  }

  private static void elsewhere(Workers.Work work) throws InterruptedException {
    Workers workers = new Workers();
    workers.platform(work);
    workers.join();
  }

  private static Slab slab(Slot slot) {
    return (Slab) slot.home();
  }

  /** Of each of so many slabs one slot is live; the others were freed by another thread. */
  private List<Slab> freedElsewhere(int slabs) throws InterruptedException {
    List<Slot> all = take(slabs * SLOTS, SIZE_CLASS);
    List<Slab> used = all.stream().map(WaitingSlabsTest::slab).distinct().toList();
    for (Slab slab : used) {
      List<Slot> ofSlab = all.stream().filter(slot -> slot.home() == slab).skip(1).toList();
      live.removeAll(ofSlab);
      elsewhere(() -> ofSlab.forEach(Slot::free));
    }
    return used;
  }

  @Test
  void whatOthersFreeAsTheOwnerAllocatesComesFromTwoSlabsInTurn() throws InterruptedException {
    List<Slab> slabs = freedElsewhere(5);
    Set<Slab> used = new LinkedHashSet<>();
    List<Slab> turns = new ArrayList<>();
    for (int i = 0; i < 10 * SLOTS; i++) {
      Slot slot = take(SIZE_CLASS);
      if (turns.isEmpty() || turns.getLast() != slab(slot)) {
        turns.add(slab(slot));
      }
      used.add(slab(slot));
      freeElsewhere(slot);
    }
    assertThat(used).hasSize(2);
    assertThat(slabs).containsAll(used);
    assertThat(turns).as("each gives what others have freed while the other was used").hasSize(12);
  }

  @Test
  void slabsWithFewFreeSlotsAreLeftAloneWhereOthersFreeAsTheOwnerAllocates()
      throws InterruptedException {
    List<Slot> slots = take(4 * SLOTS, SIZE_CLASS);
    List<Slot> others = take(SLOTS, SIZE_CLASS);
    Slab busy = slab(others.getFirst());
    live.removeAll(others);
    elsewhere(() -> others.forEach(Slot::free));
    for (int i = 0; i < 4; i++) {
      free(slots.get(i * SLOTS));
    }
    Set<Slab> used = new LinkedHashSet<>();
    ArrayDeque<Slot> underWay = new ArrayDeque<>();
    for (int i = 0; i < 10 * SLOTS; i++) {
      Slot slot = take(SIZE_CLASS);
      used.add(slab(slot));
      underWay.add(slot);
      if (underWay.size() == 3) {
        freeElsewhere(underWay.remove());
      }
    }
    assertThat(used).containsExactly(busy);
  }

  @Test
  void aSlabWithFewFreeSlotsHidesNoneThatHasMany() throws InterruptedException {
    List<Slot> few = take(SLOTS, SIZE_CLASS);
    List<Slot> many = take(SLOTS, SIZE_CLASS);
    List<Slot> busy = take(SLOTS, SIZE_CLASS);
    free(few.getFirst());
    many.subList(1, SLOTS).forEach(this::free);
    freeElsewhere(busy.getFirst());

    assertThat(slab(take(SIZE_CLASS))).as("drained").isSameAs(slab(busy.getFirst()));
    assertThat(slab(take(SIZE_CLASS))).as("next").isSameAs(slab(many.getFirst()));
    assertThat(slab(few.getFirst()).freeBytes()).isEqualTo(SLOT_BYTES);
  }

  @Test
  void whatOthersHaveFreedOfASlabIsLookedAfterWhereItRests() throws InterruptedException {
    List<Slot> first = take(SLOTS, SIZE_CLASS);
    List<Slot> second = take(SLOTS, SIZE_CLASS);
    first.subList(1, SLOTS).forEach(this::free);
    live.removeAll(second);
    elsewhere(() -> second.forEach(Slot::free));
    elsewhere(owned::parkIdle); // Sees the slab as the current one, and leaves it alone.
    assertThat(owned.looksParkable()).isFalse();

    Slot next = take(SIZE_CLASS);
    assertThat(slab(next)).isSameAs(slab(first.getFirst()));
    assertThat(owned.looksParkable()).isTrue();
    elsewhere(owned::parkIdle);
    assertThat(owned.slabs()).containsExactly(slab(next));
  }

  @Test
  void aSlabThatATrimHasPassedByIsParkedWithItsLastSlot() throws InterruptedException {
    int sizeClass = SizeClasses.classOf(1 << 10);
    int slotsOfASlab = SizeClasses.spanSize(sizeClass).bytes() >> 10;
    List<Slot> slots = take(slotsOfASlab, sizeClass);
    take(sizeClass);
    freeElsewhere(slots.getFirst());
    elsewhere(owned::trim); // One slot is less than a page.
    slots.subList(1, slotsOfASlab).forEach(this::free);
    assertThat(owned.slabs()).doesNotContain(slab(slots.getFirst()));
  }

  @Test
  void aSlabThatATrimCouldNotTakeIsParkedWithItsLastSlot() throws InterruptedException {
    List<InsidePurge> underWay = new ArrayList<>();
    OwnedHeap held = new OwnedHeap(pages, task -> {}, shared, underWay::add);
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 2 * SLOTS; i++) {
      slots.add(held.tryAllocate(SIZE_CLASS, Slot.TENANTS));
    }
    Slab trimmed = slab(slots.getFirst());
    slots.get(0).free();
    slots.get(1).free();
    held.lock.lock();
    held.unlinkForPurger(trimmed);
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

  @Test
  void whatOthersFreeInTheOnlySlabComesAgain() throws InterruptedException {
    Slab only = freedElsewhere(1).getFirst();
    for (int i = 0; i < 3 * SLOTS; i++) {
      Slot slot = take(SIZE_CLASS);
      assertThat(slab(slot)).isSameAs(only);
      freeElsewhere(slot);
    }
  }

  /** Two slots of a slab with room for eight that has been put aside, and no slot is free. */
  private List<Slot> hollow() {
    return hollow(2);
  }

  private List<Slot> hollow(int count) {
    List<Slot> kept = take(SLOTS, SIZE_CLASS);
    List<Slot> full = take(2 * SLOTS, SIZE_CLASS);
    while (kept.size() > count) {
      free(kept.removeLast());
    }
    owned.trim();
    free(full.getFirst());
    take(SIZE_CLASS);
    assertThat(slab(kept.getFirst()).isHollow).isTrue();
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
  void aHollowSlabComesBackWithASlotThatItsOwnerFrees() {
    Slot freed = hollow().getFirst();
    free(freed);

    assertThat(slab(freed).isHollow).isFalse();
    assertThat(take(SIZE_CLASS)).isEqualTo(freed);
    assertThat(pages.totals().liveBytes()).isEqualTo((2 + 2 * SLOTS) * SLOT_BYTES);
  }

  @Test
  void aHollowSlabComesBackWithASlotThatAnotherThreadFrees() throws InterruptedException {
    Slot freed = hollow().getFirst();
    freeElsewhere(freed);
    assertThat(owned.looksParkable()).isTrue();

    assertThat(take(SIZE_CLASS)).isEqualTo(freed);
    assertThat(slab(freed).isHollow).isFalse();
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
    Heap.sendArrival(slab(freed));
  }

  @Test
  void aHollowSlabThatOthersEmptyIsParked() throws InterruptedException {
    for (Slot slot : hollow()) {
      freeElsewhere(slot);
    }
    elsewhere(owned::parkIdle);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOTS * SLOT_BYTES);
  }

  @Test
  void anHeirTakesHollowSlabsOver() {
    List<Slot> two = hollow();
    owned.close();
    Slot third = shared.tryAllocate(SIZE_CLASS, Slot.TENANTS);
    assertThat(third).isNotNull();
    live.add(third);
    assertThat(third.home()).isSameAs(two.getFirst().home());
  }

  @Test
  void whatOthersFreeOfAHollowSlabIsFoundByItsHeir() throws InterruptedException {
    List<Slot> two = hollow();
    owned.close();
    for (Slot slot : two) {
      freeElsewhere(slot);
    }
    shared.parkIdle(/* takesOver= */ true);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOTS * SLOT_BYTES);
  }

  /** As a loop does that was asked to, and is about to be told of the slot. */
  @Test
  void theLastSlotOfAHollowSlabIsHeardOfThoughItsHeapCloses() throws InterruptedException {
    Slot last = hollow(1).getFirst();
    elsewhere(owned::requestClose);

    free(last);
    assertThat(owned.isHandedOver()).isTrue();
    shared.parkIdle(/* takesOver= */ true);
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOTS * SLOT_BYTES);
  }

  /** The pages of a parked slab of another class go to a new one, of which one slot is carved. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aHollowSlabGivesBackPagesThatItHasNeverUsed(boolean byOwner) throws InterruptedException {
    List<Slot> full = take(2 * SLOTS, HALF_SIZE_CLASS);
    take(SLOTS, SIZE_CLASS).forEach(this::free);
    owned.trim();
    Slot first = take(HALF_SIZE_CLASS);
    free(full.getFirst());
    take(HALF_SIZE_CLASS);
    assertThat(slab(first).isHollow).isTrue();
    assertThat(pages.totals().liveBytes()).isEqualTo(2 * SLOTS * SLOT_BYTES);

    if (byOwner) {
      owned.trim();
    } else {
      elsewhere(owned::trim);
    }
    assertThat(pages.totals().liveBytes()).isEqualTo(SLOTS * SLOT_BYTES + SLOT_BYTES / 2);
    assertThat(take(HALF_SIZE_CLASS).home()).isSameAs(first.home());
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
    assertThat(slab(only).isHollow).isFalse();
    purges.forEach(InsidePurge::run);
    assertThat(owned.looksParkable()).isTrue();
    owned.parkIdle();
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
    owned.unlinkFree(List.of(slab), purges::add);
    assertThat(purges).isNotEmpty();
    return purges;
  }

  @Test
  void whatIsRefusedLeavesNoEmptySlabsBehind() {
    int limitSlots = (int) (LIMIT_BYTES / SLOT_BYTES);
    take(limitSlots - 1, SIZE_CLASS);
    take(HALF_SIZE_CLASS);
    for (int i = 0; i < 100; i++) {
      assertThat(owned.tryAllocate(SIZE_CLASS, Slot.TENANTS)).isNull();
      assertThat(owned.tryAllocate(SIZE_CLASS - 1, Slot.TENANTS)).isNull();
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
    assertThat(mostFreeBytes).isBetween(1L << 20, pages.insideHardCeilingBytes() + (2L << 20));
  }

  private static int anyClass(SplittableRandom random) {
    return SizeClasses.classOf(1 + random.nextInt(64 << 10));
  }

  private long blockBytes() {
    return live.stream().mapToLong(slot -> slab(slot).slotBytes()).sum();
  }
}
