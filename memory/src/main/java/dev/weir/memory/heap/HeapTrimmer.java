package dev.weir.memory.heap;

import dev.weir.memory.os.ProcessBarrier;
import dev.weir.memory.pages.PageSet;
import dev.weir.memory.sync.SpinLock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What any thread may have a heap give back, whatever the heap's owner is at: it takes the heap's
 * lock for that, and calls the system without it.
 */
final class HeapTrimmer {
  /**
   * How long a trim waits for a lock under which somebody is at work: 1 s. It takes microseconds
   * unless the system has interrupted that thread, which then waits for a time slice: on a machine
   * with a dozen to run for each two processors more than 100 ms, now and then, and to give up
   * before would be to refuse what there is room for.
   */
  private static final long TRIM_PATIENCE_NANOS = 1_000_000_000;

  /** How long others do, which come again: somebody waits for them. */
  private static final long PATIENCE_NANOS = 1_000_000;

  /** The most slabs that a survey unlinks at a time: some ten microseconds. */
  private static final int SLABS_A_STEP = 4;

  /** The most that a trim does: some hundred microseconds. */
  private static final int SLABS_A_TRIM = 64;

  /** The most slots that either goes through at a time, but for one slab. */
  private static final int SLOTS_A_STEP = 16_384;

  private HeapTrimmer() {}

  /**
   * Gives back everything that is free, but where somebody has been at work under the lock for a
   * second. Any thread, without a lock.
   */
  static void trim(Heap heap) {
    look(heap, () -> trimOnce(heap));
  }

  private static void trimOnce(Heap heap) {
    List<InsidePurge> purges = new ArrayList<>();
    List<Slab> besideOwner = List.of();
    if (!heap.lock.tryLock(TRIM_PATIENCE_NANOS)) {
      return;
    }
    try {
      if (heap.isAlone()) {
        heap.unlinks().trim(purges::add);
      } else {
        heap.scanAll();
        besideOwner = heap.slabs();
      }
    } finally {
      heap.lock.unlock();
      InsidePurge.runAll(purges);
    }
    unlink(heap, besideOwner, /* agedOnly= */ false, SLABS_A_TRIM, TRIM_PATIENCE_NANOS);
  }

  /**
   * Retires the empty slabs, if there seem to be any and nobody is at work under the lock. Any
   * thread, without a lock.
   *
   * @param takesOver also if the lock leans towards a thread, which costs every running thread a
   *     barrier
   */
  static void retireIdle(Heap heap, boolean takesOver) {
    if (heap.looksRetirable()) {
      look(heap, () -> retireIdleOnce(heap, takesOver));
    }
  }

  private static void retireIdleOnce(Heap heap, boolean takesOver) {
    if (!(takesOver ? heap.lock.tryTakeOver() : heap.lock.tryLock())) {
      return;
    }
    List<Slab> besideOwner = List.of();
    try {
      if (heap.isAlone()) {
        heap.retireEmptySlabs();
      } else {
        heap.attend(/* alone= */ false);
        besideOwner = availableAndEmpty(heap);
      }
    } finally {
      heap.lock.unlock();
    }
    unlink(heap, besideOwner, /* agedOnly= */ false, SLABS_A_TRIM, PATIENCE_NANOS);
  }

  /**
   * Gives back the free pages of some slabs, as far as they are the heap's. The surveying thread,
   * without a lock.
   *
   * @param agedOnly whether slots that have not aged are left alone
   */
  static void unlink(Heap heap, List<Slab> slabs, boolean agedOnly) {
    look(heap, () -> unlink(heap, slabs, agedOnly, SLABS_A_STEP, PATIENCE_NANOS));
  }

  /** One that finds no Java heap or stack half-way leaves what nobody else is told of. */
  static void look(Heap heap, Runnable look) {
    boolean isComplete = false;
    try {
      look.run();
      isComplete = true;
    } finally {
      if (!isComplete) {
        heap.requestScan();
      }
    }
  }

  private static void unlink(
      Heap heap, List<Slab> slabs, boolean agedOnly, int mostSlabs, long patienceNanos) {
    int end;
    for (int from = 0; from < slabs.size(); from = end) {
      end = endOfStep(slabs, from, mostSlabs);
      List<Slab> some = slabs.subList(from, end);
      List<InsidePurge> purges = new ArrayList<>();
      if (!heap.lock.tryLock(patienceNanos)) {
        heap.requestScan(); // Whoever wants them comes again.
        return;
      }
      try {
        if (heap.isAlone()) {
          heap.unlinks().unlinkFree(some, agedOnly, purges::add);
        } else {
          unlinkBesideOwner(heap, some, agedOnly, purges::add);
        }
      } finally {
        heap.lock.unlock();
        InsidePurge.runAll(purges);
      }
      if (end < slabs.size()) {
        SpinLock.giveWay(); // An owner that waits for its lock has its turn.
      }
    }
  }

  private static int endOfStep(List<Slab> slabs, int from, int mostSlabs) {
    int end = from;
    int slots = 0;
    do {
      slots += slabs.get(end++).slots();
    } while (end < slabs.size() && end - from < mostSlabs && slots < SLOTS_A_STEP);
    return end;
  }

  /** As {@link PageUnlinks#unlinkFree}, and retires those that are empty. With the lock. */
  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  static void unlinkBesideOwner(
      Heap heap, List<Slab> slabs, boolean agedOnly, Consumer<InsidePurge> purges) {
    int slots = 0;
    for (Slab slab : slabs) {
      slots = Math.max(slots, slab.slots());
    }
    char[] taken = new char[slots];
    List<Slab> begun = new ArrayList<>(slabs.size());
    int ended = 0;
    try {
      for (Slab slab : slabs) {
        if (slab.ownedBy != heap) {
          continue;
        }
        int most = agedOnly ? slab.agedSlots : Slab.ALL;
        if (most < Slab.ALL && slab.freePages(most, heap.pages().pageBytes()).isEmpty()) {
          slab.barrenSlots = most;
        } else if (mayGive(slab, heap.pages().pageBytes()) && slab.tryBeginSteal(most)) {
          begun.add(slab);
        } else if (looksEmpty(slab) && !heap.lists().isCurrent(slab)) {
          heap.requestScan(); // Nobody frees another slot of it.
        } else {
          passBy(heap, slab);
        }
      }
      if (!begun.isEmpty()) {
        ProcessBarrier.heavy();
      }
      while (ended < begun.size()) {
        Slab slab = begun.get(ended++);
        int most = agedOnly ? slab.agedSlots : Slab.ALL;
        takeBesideOwner(heap, slab, most, taken, purges);
      }
    } finally {
      while (ended < begun.size()) {
        begun.get(ended++).cancelSteal();
      }
    }
  }

  /** The slabs that look empty, but for current ones. With the lock. */
  private static List<Slab> availableAndEmpty(Heap heap) {
    List<Slab> empty = new ArrayList<>();
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      for (Slab slab = heap.lists().firstAvailable(sizeClass);
          slab != null;
          slab = slab.nextQueued) {
        if (looksEmpty(slab)) {
          empty.add(slab);
        } else {
          passBy(heap, slab);
        }
      }
    }
    return empty;
  }

  /**
   * Leaves alone a slab of which others have freed slots, and told: nothing but the owner leads to
   * it from now on, whose next free tells. If that has just come, or does not come, a look later on
   * finds an empty one. With the lock.
   */
  private static void passBy(Heap heap, Slab slab) {
    if (slab.hasRemoteOpaque() && slab.notifyAtNext()) {
      heap.requestScan();
    }
  }

  /** Whether a page may be free, or the slab empty. */
  private static boolean mayGive(Slab slab, int osPageBytes) {
    return slab.unusedBytes() >= osPageBytes || looksEmpty(slab);
  }

  private static boolean looksEmpty(Slab slab) {
    return slab.liveOpaque() <= slab.remoteCount();
  }

  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  private static void takeBesideOwner(
      Heap heap, Slab slab, int most, char[] taken, Consumer<InsidePurge> purges) {
    int count = slab.endStealAll(most, taken);
    // The owner looks at its current slabs at any time.
    if (!heap.lists().isCurrent(slab) && slab.tryLeaveAll(taken, count)) {
      heap.retireEmptied(slab);
      return;
    }
    PageSet free = slab.unlinkTaken(taken, count, heap.pages().pageBytes());
    if (free != null) {
      heap.unlinks().purge(slab, free, purges);
    }
  }
}
