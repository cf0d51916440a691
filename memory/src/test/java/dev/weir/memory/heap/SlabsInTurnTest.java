package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which slabs give slots while other threads free them. */
class SlabsInTurnTest extends OwnedSlots {
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
  void whatOthersFreeInTheOnlySlabComesAgain() throws InterruptedException {
    Slab only = freedElsewhere(1).getFirst();
    for (int i = 0; i < 3 * SLOTS; i++) {
      Slot slot = take(SIZE_CLASS);
      assertThat(slab(slot)).isSameAs(only);
      freeElsewhere(slot);
    }
  }

  /** Where 1.9 slabs' slots are under way, two are not enough, but all others stay as they are. */
  @Test
  void whatOthersFreeInAnyOrderComesFromAFewSlabsInTurn() {
    int sizeClass = SizeClasses.classOf(4 << 10);
    int slotsOfASlab = SizeClasses.spanSize(sizeClass).bytes() / (4 << 10);
    int underWay = slotsOfASlab * 19 / 10;
    List<Slot> burst = take(20 * slotsOfASlab, sizeClass);
    for (int i = 0; i < burst.size(); i++) {
      if (i % slotsOfASlab > 0) {
        freeAsOthersDo(burst.get(i));
      }
    }
    SplittableRandom random = new SplittableRandom(7);
    List<Slot> theirs = new ArrayList<>();
    Set<Slab> used = new LinkedHashSet<>();
    for (int i = 0; i < 60 * slotsOfASlab; i++) {
      Slot slot = take(sizeClass);
      theirs.add(slot);
      if (i > 20 * slotsOfASlab) {
        used.add(slab(slot));
      }
      if (theirs.size() > underWay) {
        freeAsOthersDo(theirs.remove(random.nextInt(theirs.size())));
      }
    }
    assertThat(used).hasSizeBetween(2, 4);
  }

  private void freeAsOthersDo(Slot slot) {
    live.remove(slot);
    Heap.freeRemotely(slab(slot), slot.number());
  }

  @Test
  void slabsThatHaveRestedHideNoneThatHasMany() {
    List<Slot> thin = take(2 * SLOTS, SIZE_CLASS);
    List<Slot> many = take(SLOTS, SIZE_CLASS);
    List<Slot> busy = take(SLOTS, SIZE_CLASS);
    for (Slot slot : List.of(thin.getFirst(), thin.getLast())) {
      free(slot);
      owned.lists().remove(slab(slot));
      owned.lists().rest(slab(slot));
    }
    many.subList(1, SLOTS).forEach(this::free);
    List<Slab> given = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      freeAsOthersDo(busy.get(i));
      given.add(slab(take(SIZE_CLASS)));
    }
    Slab drained = slab(busy.getFirst());
    assertThat(given).containsExactly(drained, drained, drained, slab(many.getFirst()));
  }

  /** Of what a burst has left, no more lies free than may where nobody has use for it. */
  @Test
  void whatSlabsInTurnGiveIsNoUseOfFreeMemory() {
    List<Slot> burst = take(40 * SLOTS, SIZE_CLASS);
    for (int i = 0; i < burst.size(); i++) {
      if (i % SLOTS > 0) {
        free(burst.get(i));
      }
    }
    for (int i = 0; i < 80 * SLOTS; i++) {
      freeAsOthersDo(take(SIZE_CLASS));
    }
    take((8 << 20) / (32 << 10), HALF_SIZE_CLASS);
    long blockBytes = live.stream().mapToLong(slot -> slab(slot).slotBytes()).sum();
    assertThat(pages.totals().liveBytes() - blockBytes)
        .isBetween(1L, pages.idleInsideBytes() + (1 << 20));
  }

  /** Its owner frees most of its slots, others the rest, while another class grows. */
  @Test
  void whatLiesFreeInASlabThatRestsIsLeftThere() {
    List<Slot> burst = take(10 * SLOTS, SIZE_CLASS);
    List<Slot> rests = take(SLOTS, SIZE_CLASS);
    burst.addAll(take(10 * SLOTS, SIZE_CLASS));
    Slab resting = slab(rests.getFirst());
    // What the class has used, two slots twice, is less than what will lie free there.
    rests.subList(0, 2).forEach(this::freeAsOthersDo);
    rests.set(0, take(SIZE_CLASS));
    rests.set(1, take(SIZE_CLASS));
    burst.subList(0, 2).forEach(this::free);
    freeAsOthersDo(rests.getFirst());
    take(SIZE_CLASS);
    assertThat(owned.lists().resting(SIZE_CLASS)).isSameAs(resting);
    goRound(); // The hand stands at the slab that rests, and sees that later, when more lies free.
    rests.subList(1, SLOTS - 1).forEach(this::free);
    for (int i = SLOTS; i < burst.size(); i++) {
      if (i % SLOTS > 0) {
        free(burst.get(i));
      }
    }

    goRound();
    goRound();
    assertThat(pages.totals().liveBytes()).as("most goes back").isLessThan(60 * SLOT_BYTES);
    assertThat(resting.freeBytes()).isEqualTo((SLOTS - 2) * (int) SLOT_BYTES);
  }

  private void goRound() {
    owned.lock.lock();
    owned.sweep().unlinkBeforeGrowth(4L << 20);
    owned.leave();
  }
}
