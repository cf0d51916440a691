package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.os.PurgeRanges;
import dev.weir.memory.purge.PurgePolicy;
import dev.weir.memory.testing.DelegatingNativeMemory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much may stay dirty, and what purges in batches leave behind. */
class DirtyPurgesTest {
  private static final long MIB = 1L << 20;
  private static final long LIMIT_BYTES = 4096 * MIB;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final AtomicInteger calls = new AtomicInteger();

  /** Whether a purge takes longer than calling the purger for it, as that of used pages does. */
  private boolean slow = true;

  private final PageHeap heap = heapWith(PurgePolicy.dense());

  private PageHeap heapWith(PurgePolicy policy) {
    return new PageHeap(
        new DelegatingNativeMemory(os) {
          @Override
          public void purge(PurgeRanges ranges) {
            long begun = System.nanoTime();
            super.purge(ranges);
            while (slow && System.nanoTime() - begun < 2 * DirtyLimits.QUICK_PURGE_NANOS) {
              Thread.onSpinWait();
            }
          }
        },
        Reservation.reserve(os, LIMIT_BYTES),
        LIMIT_BYTES,
        0,
        1,
        policy,
        new PageHeapEvents() {
          @Override
          public void roomFreed() {}

          @Override
          public void liveGrown() {}

          @Override
          public void dirtyHigh() {
            calls.incrementAndGet();
          }
        });
  }

  @AfterEach
  void invariantsHold() {
    heap.checkInvariants();
  }

  @Test
  void aBatchThatFailsHalfwayKeepsWhatIsPurged() {
    freeEveryOther(8, 128 << 10);
    os.takePurges();
    os.failAt(3);

    assertThatThrownBy(() -> heap.dirtyPurges().purgeDownTo(0))
        .isInstanceOf(NativeMemoryException.class);

    assertThat(os.takePurges()).hasSize(2);
    assertThat(heap.totals().dirtyBytes()).isEqualTo(2 * (128 << 10));
    heap.checkInvariants();
    heap.dirtyPurges().purgeDownTo(0);
    assertThat(heap.totals().dirtyBytes()).isZero();
  }

  @Test
  void moreThanABatchIsPurgedInSeveral() {
    freeEveryOther(100, 128 << 10);

    heap.dirtyPurges().purgeAll();

    assertThat(os.takePurges()).hasSize(50);
    assertThat(heap.totals().dirtyBytes()).isZero();
  }

  @Test
  void everyAgedStretchIsPurgedAndNoYoungOne() {
    long[] runs = allocate(100, 64 << 10);
    for (int i = 0; i < 72; i += 2) {
      heap.runs().free(runs[i], 64 << 10, Lane.LARGE);
    }
    heap.dirtyPurges().purgeAged();
    assertThat(os.takePurges()).as("all were young").isEmpty();
    for (int i = 80; i < 100; i += 2) {
      heap.runs().free(runs[i], 64 << 10, Lane.LARGE);
    }

    heap.dirtyPurges().purgeAged();
    assertThat(os.takePurges()).hasSize(36);
    assertThat(heap.totals().dirtyBytes()).isEqualTo(10 * (64 << 10));
    heap.dirtyPurges().purgeAged();
    assertThat(heap.totals().dirtyBytes()).isZero();
  }

  /** What was live within a decay is the measure; resident stays within it, and a share of it. */
  @Test
  void aBalancedHeapKeepsWhatWasLiveWithinADecay() {
    PageHeap balanced = heapWith(PurgePolicy.balanced().withShare(0));
    long[] runs = new long[256];
    for (int i = 0; i < runs.length; i++) {
      runs[i] = balanced.runs().allocate(MIB / 4);
    }
    for (long run : runs) {
      balanced.runs().free(run, MIB / 4, Lane.LARGE);
    }
    assertThat(balanced.totals().dirtyBytes()).isEqualTo(64 * MIB);
    assertThat(calls).as("calls").hasValue(0);

    // A decay later nothing of it has been live.
    balanced.dirtyPurges().purgeAged();
    balanced.dirtyPurges().purgeAged();
    assertThat(balanced.totals().dirtyBytes()).isZero();
    balanced.reservation().release();
  }

  @Test
  void thePurgerIsCalledBeforeTheCeilingOf3MiB() {
    long[] runs = allocate(10, MIB / 4);
    free(runs, 0, 9, MIB / 4);
    assertThat(calls).as("calls at 2.25 MiB").hasValue(0);
    heap.runs().free(runs[9], MIB / 4, Lane.LARGE);
    assertThat(calls).as("calls at 2.5 MiB").hasValue(1);

    heap.dirtyPurges().purgeExcess();
    assertThat(heap.totals().dirtyBytes()).isEqualTo(3 * MIB / 2);
  }

  /** The purger is called here, and never comes. */
  @Test
  void whoFreesPurgesWhatThePurgerDoesNotGetTo() {
    for (long run : allocate(40, MIB / 4)) {
      heap.runs().free(run, MIB / 4, Lane.LARGE);
      assertThat(heap.totals().dirtyBytes()).isLessThanOrEqualTo(3 * MIB + MIB / 4);
    }
  }

  /** It is likely to be asked for again, and costs a fault a page then. */
  @Test
  void whoFreesOneLargeRunLeavesItToThePurger() {
    long run = heap.runs().allocate(32 * MIB);
    os.takePurges();
    heap.runs().free(run, 32 * MIB, Lane.LARGE);
    assertThat(os.takePurges()).isEmpty();
    assertThat(calls).hasValue(1);
  }

  /** With what is dirty already, it would be far beyond what may stay so. */
  @Test
  void whoFreesALargeRunBesideWhatIsDirtyPurgesABatchAndCallsForTheRest() {
    long[] runs = allocate(8, MIB / 4);
    long large = heap.runs().allocate(4 * MIB);
    free(runs, 0, 8, MIB / 4);
    heap.runs().free(large, 4 * MIB, Lane.LARGE);
    assertThat(heap.totals().dirtyBytes()).isEqualTo(4 * MIB);
    assertThat(calls).hasPositiveValue();
  }

  /** Some purges may take long here because the machine is busy; the next may not. */
  @Test
  void nobodyCallsThePurgerWherePurgesAreQuick() {
    slow = false;
    boolean called = true;
    for (int i = 0; i < 1000 && called; i++) {
      heap.dirtyPurges().purgeAll();
      called = callsAsRunsAreFreedUntilOneIsPurged() > 0;
    }
    assertThat(called).isFalse();

    slow = true;
    heap.dirtyPurges().purgeAll();
    assertThat(callsAsRunsAreFreedUntilOneIsPurged()).as("once they take long again").isPositive();
  }

  /** Nobody purges for it: more than its share would be dirty until it has aged. */
  @Test
  void thePurgerIsCalledForOneLargeRunHoweverQuickPurgesAre() {
    slow = false;
    for (int i = 0; i < 100; i++) {
      long run = heap.runs().allocate(32 * MIB);
      int before = calls.get();
      heap.runs().free(run, 32 * MIB, Lane.LARGE);
      assertThat(calls.get()).isGreaterThan(before);
      heap.dirtyPurges().purgeAll();
    }
  }

  /** A batch ends long before it: the rest would be dirty until it has aged. */
  @Test
  void thePurgerIsCalledForWhatALargeRunLeavesBesideWhatIsDirty() {
    slow = false;
    for (int i = 0; i < 100; i++) {
      long[] runs = allocate(8, MIB / 4);
      long large = heap.runs().allocate(32 * MIB);
      free(runs, 0, 8, MIB / 4);
      int before = calls.get();
      heap.runs().free(large, 32 * MIB, Lane.LARGE);
      assertThat(heap.totals().dirtyBytes()).isGreaterThan(3 * MIB);
      assertThat(calls.get()).isGreaterThan(before);
      heap.dirtyPurges().purgeAll();
    }
  }

  /** It reports what stands in the way. */
  @Test
  void thePurgerIsCalledWhereAPurgeFailsHoweverQuickTheLastWas() {
    slow = false;
    for (int i = 0; i < 100; i++) {
      long[] runs = allocate(13, MIB / 4);
      free(runs, 0, 12, MIB / 4);
      int before = calls.get();
      os.failAt(1);
      heap.runs().free(runs[12], MIB / 4, Lane.LARGE);
      assertThat(heap.totals().dirtyBytes()).isEqualTo(13 * MIB / 4);
      assertThat(calls.get()).isGreaterThan(before);
      heap.dirtyPurges().purgeAll();
    }
  }

  @Test
  void thePurgerIsCalledForPromisedRunsThatAreUndone() {
    assertThat(heap.promises().tryMake(32 * MIB, Lane.PROMISE)).isTrue();
    long run = heap.runs().allocatePromised(32 * MIB);
    assertThat(run).isNotEqualTo(Runs.FULL);

    heap.runs().undo(run, 32 * MIB, Lane.PROMISE);

    assertThat(calls).hasValue(1);
    heap.promises().giveBack(32 * MIB, Lane.PROMISE);
  }

  private int callsAsRunsAreFreedUntilOneIsPurged() {
    int before = calls.get();
    long[] runs = allocate(40, MIB / 4);
    os.takePurges();
    boolean purged = false;
    for (long run : runs) {
      heap.runs().free(run, MIB / 4, Lane.LARGE);
      purged |= !os.takePurges().isEmpty();
    }
    assertThat(purged).isTrue();
    return calls.get() - before;
  }

  @Test
  void largeRunsMayLeaveThreeQuartersAsMuchAgainDirty() {
    long large = dirtyWhenThePurgerIsCalled(1280, MIB);
    long small = dirtyWhenThePurgerIsCalled(2560, MIB / 2);

    // Three quarters of a 40th of what is live then, and of another 50th of what is in large runs.
    assertThat(small).isBetween(23 * MIB, 25 * MIB);
    assertThat(large).isBetween(41 * MIB, 43 * MIB);
  }

  /** Allocates runs that make 1,280 MiB, and frees every other until the purger is called. */
  private long dirtyWhenThePurgerIsCalled(int count, long bytes) {
    int before = calls.get();
    long[] runs = allocate(count, bytes);
    int next = 0;
    while (calls.get() == before) {
      heap.runs().free(runs[next], bytes, Lane.LARGE);
      runs[next] = Runs.FULL;
      next += 2;
    }
    long dirtyBytes = heap.totals().dirtyBytes();
    for (long run : runs) {
      if (run != Runs.FULL) {
        heap.runs().free(run, bytes, Lane.LARGE);
      }
    }
    heap.dirtyPurges().purgeAll();
    return dirtyBytes;
  }

  /** A room of 32 MiB none of whose pages is live. */
  private static void leaveDirtyRoom(PageHeap pages) {
    GrowthRange room = pages.growth().tryOpen(32 * MIB, Lane.LARGE);
    assertThat(room).isNotNull();
    pages.growth().close(room);
    assertThat(pages.totals().dirtyBytes()).isEqualTo(32 * MIB);
  }

  private void freeEveryOther(int count, long bytes) {
    long[] runs = allocate(count, bytes);
    for (int i = 0; i < count; i += 2) {
      heap.runs().free(runs[i], bytes, Lane.LARGE);
    }
  }

  private long[] allocate(int count, long bytes) {
    long[] runs = new long[count];
    for (int i = 0; i < count; i++) {
      runs[i] = heap.runs().allocate(bytes);
    }
    return runs;
  }

  private void free(long[] runs, int from, int to, long bytes) {
    for (int i = from; i < to; i++) {
      heap.runs().free(runs[i], bytes, Lane.LARGE);
    }
  }
}
