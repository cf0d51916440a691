package dev.weir.memory.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * How threads meet beside the owner of a heap, as {@code docs/concurrency.md} tells it: each order
 * of their steps, with stores that others see late. Without its barrier each protocol fails here.
 */
class BesideOwnerModelTest {
  private static final int OWNER = 0;
  private static final int OTHER = 1;

  // What SlotStack does: pop, push, beginSteal, endSteal.

  private static final int BASE = 0;
  private static final int COUNT = 1;
  private static final int SLOTS = 3;

  /** Who has each slot: nobody, or one of the threads. */
  private static final int HOLDER = 2;

  /** The numbers in the stack. */
  private static final int STACK = HOLDER + SLOTS;

  private static final int FREE = 0;

  // Own words.
  private static final int A = 0;
  private static final int B = 1;

  @Test
  void aSlotIsTheOwnersOrTheThiefs() {
    assertThat(stealing(/* heavy= */ true)).isNull();
  }

  @Test
  void withoutTheHeavyBarrierASlotIsTakenTwice() {
    assertThat(stealing(/* heavy= */ false)).contains("taken twice");
  }

  private static @Nullable String stealing(boolean heavy) {
    Machine start = new Machine(STACK + SLOTS, 2, 2);
    start.words[COUNT] = SLOTS;
    for (int slot = 0; slot < SLOTS; slot++) {
      start.words[STACK + slot] = slot;
    }
    List<Interleavings.Step> owner = new ArrayList<>();
    pop(owner);
    pop(owner);
    push(owner);
    pop(owner);
    List<Interleavings.Step> thief = new ArrayList<>();
    steal(thief, heavy);
    steal(thief, heavy);
    return new Interleavings()
        .thread(owner)
        .thread(thief)
        .always(machine ->
            machine.own[OWNER][B] < 0 || machine.own[OTHER][B] < 0 ? "taken twice" : null)
        .findFault(start, BesideOwnerModelTest::lostSlot);
  }

  /** Takes a slot: its number counts as held from the look at {@code base} on. */
  private static void pop(List<Interleavings.Step> program) {
    int begin = program.size();
    int end = begin + 4;
    program.add(machine -> {
      int count = machine.load(OWNER, COUNT) - 1;
      machine.own[OWNER][A] = count;
      if (count < 0) {
        return end;
      }
      machine.store(OWNER, COUNT, count);
      return begin + 1;
    });
    program.add(
        machine -> machine.load(OWNER, BASE) <= machine.own[OWNER][A] ? begin + 2 : begin + 3);
    program.add(machine -> {
      take(machine, OWNER, machine.load(OWNER, STACK + machine.own[OWNER][A]));
      return end;
    });
    program.add(machine -> {
      machine.store(OWNER, COUNT, machine.own[OWNER][A] + 1);
      return end;
    });
  }

  /** Puts back a slot that the owner has, if it has one. */
  private static void push(List<Interleavings.Step> program) {
    int begin = program.size();
    int end = begin + 2;
    program.add(machine -> {
      int slot = heldBy(machine, OWNER);
      if (slot < 0) {
        return end;
      }
      machine.words[HOLDER + slot] = FREE;
      machine.store(OWNER, STACK + machine.load(OWNER, COUNT), slot);
      return begin + 1;
    });
    program.add(machine -> {
      machine.store(OWNER, COUNT, machine.load(OWNER, COUNT) + 1);
      return end;
    });
  }

  /** With the heap's lock: takes all that lies in the stack. */
  private static void steal(List<Interleavings.Step> program, boolean heavy) {
    int begin = program.size();
    program.add(machine -> {
      int base = machine.load(OTHER, BASE);
      machine.own[OTHER][A] = base;
      machine.store(OTHER, BASE, Math.max(base, machine.load(OTHER, COUNT)));
      return begin + 1;
    });
    program.add(machine -> {
      if (heavy) {
        machine.heavyBarrier();
      } else {
        machine.fence(OTHER);
      }
      return begin + 2;
    });
    program.add(machine -> {
      int from = machine.own[OTHER][A];
      int end = Math.clamp(machine.load(OTHER, COUNT), from, machine.load(OTHER, BASE));
      machine.store(OTHER, BASE, end);
      for (int i = from; i < end; i++) {
        take(machine, OTHER, machine.load(OTHER, STACK + i));
      }
      return begin + 3;
    });
  }

  /** Who has a slot is written here at once: it is what the test knows, not what threads see. */
  private static void take(Machine machine, int thread, int slot) {
    boolean isFree = machine.words[HOLDER + slot] == FREE;
    machine.words[HOLDER + slot] = thread + 1;
    machine.own[thread][B] = isFree ? 0 : -1;
  }

  private static int heldBy(Machine machine, int thread) {
    for (int slot = 0; slot < SLOTS; slot++) {
      if (machine.words[HOLDER + slot] == thread + 1) {
        return slot;
      }
    }
    return -1;
  }

  private static @Nullable String lostSlot(Machine machine) {
    int held = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
      held += machine.words[HOLDER + slot] == FREE ? 0 : 1;
    }
    int free = machine.words[COUNT] - machine.words[BASE];
    return held + free == SLOTS ? null : held + " held and " + free + " free of " + SLOTS;
  }

  // What BiasedLock does: tryEnter, takeOver, unlock.

  private static final int HELD = 0;
  private static final int BIAS = 1;
  private static final int INSIDE = 2;

  /** How many are in the critical section. */
  private static final int WORKING = 3;

  @Test
  void aBiasedLockIsHeldByOneThread() {
    assertThat(biased(/* heavy= */ true)).isNull();
  }

  @Test
  void withoutTheHeavyBarrierTwoThreadsHoldABiasedLock() {
    assertThat(biased(/* heavy= */ false)).contains("two hold the lock");
  }

  private static @Nullable String biased(boolean heavy) {
    Machine start = new Machine(4, 3, 1);
    start.words[HELD] = 1; // By the bias, for as long as that lasts.
    start.words[BIAS] = 1;
    List<Interleavings.Step> owner = new ArrayList<>();
    lockAsOwner(owner);
    lockAsOwner(owner);
    return new Interleavings()
        .thread(owner)
        .thread(takingOver(1, heavy))
        .thread(takingOver(2, heavy))
        .always(machine -> machine.words[WORKING] > 1 ? "two hold the lock" : null)
        .findFault(start, machine -> null);
  }

  /** Tries the bias, and where that has ended the lock's own word. */
  private static void lockAsOwner(List<Interleavings.Step> program) {
    int begin = program.size();
    int end = begin + 8;
    program.add(machine -> machine.load(OWNER, BIAS) == 1 ? begin + 1 : begin + 5);
    program.add(machine -> {
      machine.store(OWNER, INSIDE, 1);
      return begin + 2;
    });
    program.add(machine -> machine.load(OWNER, BIAS) == 1 ? enter(machine, begin + 3) : begin + 4);
    program.add(machine -> leave(machine, begin + 4));
    program.add(machine -> {
      machine.store(OWNER, INSIDE, 0);
      return end;
    });
    program.add(
        machine -> machine.compareAndSet(OWNER, HELD, 0, 1) ? enter(machine, begin + 6) : end);
    program.add(machine -> leave(machine, begin + 7));
    program.add(machine -> {
      machine.store(OWNER, HELD, 0);
      return end;
    });
  }

  private static List<Interleavings.Step> takingOver(int thread, boolean heavy) {
    int end = 6;
    return List.of(
        machine -> machine.compareAndSet(thread, HELD, 0, 1) ? enter(machine, 4) : 1,
        machine -> machine.compareAndSet(thread, BIAS, 1, 0) ? 2 : end,
        machine -> {
          if (heavy) {
            machine.heavyBarrier();
          }
          return 3;
        },
        machine -> machine.load(thread, INSIDE) == 0 ? enter(machine, 4) : Interleavings.BLOCKED,
        machine -> leave(machine, 5),
        machine -> {
          machine.store(thread, HELD, 0);
          return end;
        });
  }

  /** What the test knows, not what threads see. */
  private static int enter(Machine machine, int next) {
    machine.words[WORKING]++;
    return next;
  }

  private static int leave(Machine machine, int next) {
    machine.words[WORKING]--;
    return next;
  }

  // What ExclusiveAdmission does for a thread that trims: all of it is under the page heap's lock.

  private static final int LIVE_PAGES = 0;

  /** Of these, what lies free in the heap of the other thread. */
  private static final int FREE_IN_HEAP = 1;

  private static final int RESERVED_PAGES = 2;
  private static final int LIMIT_PAGES = 1;

  @Test
  void whatATrimFreesIsThereForTheThreadThatAdmitsAlone() {
    assertThat(trimming(/* alone= */ true)).isNull();
  }

  @Test
  void withoutExclusiveAdmissionAnotherThreadIsFaster() {
    assertThat(trimming(/* alone= */ false)).contains("refused what its trim has freed");
  }

  private static @Nullable String trimming(boolean alone) {
    Machine start = new Machine(3, 2, 2);
    start.words[LIVE_PAGES] = LIMIT_PAGES;
    start.words[FREE_IN_HEAP] = 1;
    int end = 4;
    List<Interleavings.Step> trimming =
        List.of(
            machine -> {
              machine.words[RESERVED_PAGES] = alone ? 1 : 0;
              return 1;
            },
            machine -> {
              machine.own[OWNER][A] = machine.words[FREE_IN_HEAP];
              machine.words[LIVE_PAGES] -= machine.words[FREE_IN_HEAP];
              machine.words[FREE_IN_HEAP] = 0;
              return 2;
            },
            machine -> {
              boolean admitted = machine.words[LIVE_PAGES] < LIMIT_PAGES;
              machine.own[OWNER][B] = machine.own[OWNER][A] == 1 && !admitted ? -1 : 0;
              machine.words[LIVE_PAGES] += admitted ? 1 : 0;
              return 3;
            },
            machine -> {
              machine.words[RESERVED_PAGES] = 0;
              return end;
            });
    List<Interleavings.Step> allocating = new ArrayList<>();
    allocateAndFree(allocating);
    allocateAndFree(allocating);
    return new Interleavings()
        .thread(trimming)
        .thread(allocating)
        .always(machine -> machine.own[OWNER][B] < 0 ? "refused what its trim has freed" : null)
        .findFault(start, machine -> null);
  }

  /** Takes a page of its own heap, or else a new one; puts it back into its heap. */
  private static void allocateAndFree(List<Interleavings.Step> program) {
    int begin = program.size();
    program.add(machine -> {
      boolean own = machine.words[FREE_IN_HEAP] > 0;
      boolean admitted =
          own || machine.words[LIVE_PAGES] + machine.words[RESERVED_PAGES] < LIMIT_PAGES;
      machine.own[OTHER][A] = admitted ? 1 : 0;
      machine.words[FREE_IN_HEAP] -= own ? 1 : 0;
      machine.words[LIVE_PAGES] += admitted && !own ? 1 : 0;
      return begin + 1;
    });
    program.add(machine -> {
      machine.words[FREE_IN_HEAP] += machine.own[OTHER][A];
      return begin + 2;
    });
  }
}
