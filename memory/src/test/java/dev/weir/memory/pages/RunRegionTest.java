package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunRegionTest {
  private final RunRegion region = new RunRegion(100);

  @AfterEach
  void invariantsHold() {
    region.checkInvariants();
  }

  @Test
  void aRegionBeginsAsOneCleanRun() {
    assertThat(region.freePages()).isEqualTo(100);
    assertThat(region.dirtyPages()).isZero();
    assertThat(region.freeRunCount()).isEqualTo(1);
    assertThat(region.firstFit(100)).isZero();
    assertThat(region.firstFit(101)).isEqualTo(RunRegion.NONE);
  }

  @Test
  void takingSplitsAndGivingMerges() {
    region.take(0, 10);
    region.take(40, 20);
    region.take(95, 5);
    assertThat(region.freeRunCount()).isEqualTo(2);
    assertThat(region.firstFit(30)).isEqualTo(10);
    assertThat(region.firstFit(31)).isEqualTo(60);

    region.giveClean(40, 20);
    assertThat(region.freeRunCount()).isEqualTo(1);
    region.giveDirty(0, 10);
    region.giveDirty(95, 5);

    assertThat(region.freeRunCount()).isEqualTo(1);
    assertThat(region.freePages()).isEqualTo(100);
    assertThat(region.dirtyPages()).isEqualTo(15);
  }

  @Test
  void aRunMixesDirtyAndCleanPages() {
    region.take(0, 100);
    region.giveDirty(0, 10);
    region.giveClean(10, 10);
    region.giveDirty(20, 80);

    assertThat(region.dirtyIn(5, 20)).isEqualTo(10);
    assertThat(region.take(5, 20)).as("dirty among those taken").isEqualTo(10);
    assertThat(region.dirtyPages()).isEqualTo(80);
    assertThat(region.isDirty(4)).isTrue();
    assertThat(region.isDirty(5)).isFalse();
  }

  @Test
  void whatIsNotFreeCannotBeTaken() {
    region.take(10, 10);

    assertThatThrownBy(() -> region.take(5, 10)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> region.take(10, 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> region.take(95, 10)).isInstanceOf(IllegalStateException.class);
    assertThat(region.freePages()).isEqualTo(90);
  }

  @Test
  void whatIsFreeCannotBeGivenBack() {
    region.take(10, 10);

    for (long start : new long[] {0, 9, 15, 20, 50}) {
      assertThatThrownBy(() -> region.giveDirty(start, 10))
          .as("from page %d", start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("free already");
    }
    assertThat(region.dirtyPages()).isZero();
  }

  @Test
  void aHandGoesRoundTheDirtyPagesFromHighToLow() {
    region.take(0, 100);
    region.giveDirty(10, 5);
    region.giveDirty(50, 30);

    assertThat(region.nextToPurge(8, () -> false)).isEqualTo(72);
    assertThat(region.nextToPurge(12, () -> false)).isEqualTo(60);
    assertThat(region.foundPages()).isEqualTo(12);
    region.take(50, 30);
    region.giveDirty(80, 20);

    assertThat(region.nextToPurge(5, () -> false))
        .as("what lies above waits for the next round")
        .isEqualTo(10);
    assertThat(region.nextToPurge(100, () -> false)).isEqualTo(80);
    region.take(10, 5);
    region.take(80, 20);
    assertThat(region.nextToPurge(100, () -> false)).isEqualTo(RunRegion.NONE);
    region.giveDirty(0, 100);
  }

  @Test
  void aClaimComesBackCleanOrAsItWas() {
    region.take(0, 100);
    region.giveDirty(0, 40);
    region.claim(0, 10);
    region.claim(20, 10);
    assertThat(region.dirtyPages()).isEqualTo(20);

    region.putBack(0, 10, /* clean= */ true);
    region.putBack(20, 10, /* clean= */ false);

    assertThat(region.freePages()).isEqualTo(40);
    assertThat(region.dirtyIn(0, 10)).isZero();
    assertThat(region.dirtyIn(20, 10)).isEqualTo(10);
    assertThat(region.nextAged(0)).as("young still").isEqualTo(RunRegion.NONE);
    region.age();
    assertThat(region.agedLengthAt(10, 100)).isEqualTo(30);
    region.claim(10, 10);
    region.putBack(10, 10, /* clean= */ false);
    assertThat(region.agedLengthAt(10, 100)).as("aged still").isEqualTo(30);
  }

  @Test
  void aClaimIsFreeUntilSomebodyWantsItAndIsNeverFound() {
    region.take(0, 100);
    region.giveDirty(0, 50);
    region.claim(0, 10);
    region.claim(20, 10);
    region.claim(40, 10);
    assertThat(region.freePages()).isEqualTo(50);
    assertThat(region.cutPages()).isZero();

    assertThat(region.firstFit(10)).as("behind the first").isEqualTo(10);
    assertThat(region.cutPages()).as("the others are in nobody's way").isEqualTo(10);
    assertThat(region.firstFit(11)).as("none is long enough").isEqualTo(RunRegion.NONE);
    assertThat(region.cutPages()).isEqualTo(30);

    region.putBack(20, 10, /* clean= */ true);
    assertThat(region.firstFit(11)).isEqualTo(10);
    region.putBack(40, 10, /* clean= */ true);
    region.putBack(0, 10, /* clean= */ true);
    assertThat(region.firstFit(50)).isZero();
    assertThat(region.cutPages()).isZero();
  }

  @Test
  void moreClaimsThanAreKeptAmongTheFreeAreCutAtOnce() {
    RunRegion wide = new RunRegion(1_000);
    wide.take(0, 1_000);
    wide.giveDirty(0, 1_000);
    int claims = FreeClaims.CAPACITY + 10;
    for (int i = 0; i < claims; i++) {
      wide.claim(10L * i, 5);
    }
    assertThat(wide.cutPages()).isEqualTo(10 * 5);

    assertThat(wide.firstFit(6)).isEqualTo(10L * claims - 5);
    for (int i = 0; i < claims; i++) {
      wide.putBack(10L * i, 5, /* clean= */ true);
    }

    assertThat(wide.cutPages()).isZero();
    assertThat(wide.freeRunCount()).isEqualTo(1);
    wide.checkInvariants();
  }

  @Test
  void claimedPagesAreSeenAsDirtyAndCountForTheExtent() {
    region.take(0, 100);
    region.giveDirty(0, 100);
    region.claim(60, 40);
    region.claim(0, 60);
    long[] dirty = new long[PageBits.CHUNK_WORDS];

    region.copyDirtyChunk(0, dirty);

    assertThat(region.extentPages()).isEqualTo(100);
    assertThat(BitSet.valueOf(dirty).cardinality()).isEqualTo(100);
    region.putBack(0, 60, /* clean= */ false);
    region.putBack(60, 40, /* clean= */ true);
    assertThat(region.extentPages()).isEqualTo(60);
  }

  @Test
  void theHandPassesOverAFewShortStretches() {
    RunRegion wide = new RunRegion(2_000);
    wide.take(0, 2_000);
    wide.giveDirty(0, 40);
    for (int i = 1; i <= 10; i++) {
      wide.giveDirty(100L * i, 3);
    }
    assertThat(wide.nextToPurge(1_000, () -> true)).as("the only long one").isZero();
    wide.take(0, 40);
    AtomicInteger passed = new AtomicInteger();
    assertThat(wide.nextToPurge(1_000, () -> passed.getAndIncrement() < 16))
        .as("none is long")
        .isBetween(100L, 1_000L);
    assertThat(passed).as("asked until it was told to stop").hasValue(17);
    assertThat(wide.nextToPurge(1_000, () -> false)).as("may pass none").isEqualTo(300L);
    wide.nextToPurge(2, () -> false);
    assertThat(wide.foundPages()).as("two pages suffice").isEqualTo(2);
    wide.checkInvariants();
  }

  @Test
  void pagesAgeWhenTheyWereDirtyAtTheLastAging() {
    region.take(0, 100);
    region.giveDirty(0, 10);
    assertThat(region.nextAged(0)).as("young").isEqualTo(RunRegion.NONE);

    region.age();
    region.giveDirty(10, 10);

    assertThat(region.nextAged(0)).isZero();
    assertThat(region.agedLengthAt(0, 100)).isEqualTo(10);
    assertThat(region.nextAged(10)).isEqualTo(RunRegion.NONE);
  }

  @Test
  void pagesThatWereUsedAgainAreYoungAgain() {
    region.take(0, 100);
    region.giveDirty(0, 10);
    region.age();
    region.take(3, 2);
    region.giveDirty(3, 2);

    assertThat(region.agedLengthAt(0, 100)).isEqualTo(3);
    assertThat(region.nextAged(3)).isEqualTo(5);
  }

  /** A release that fails for want of room would lose its pages for good. */
  @Test
  void whatComesBackNeedsNothingFromTheJavaHeap() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    int runs = 20_000;
    RunRegion large = new RunRegion(4L * PageBits.CHUNK_BITS);
    long gap = large.totalPages() / runs;
    for (int round = 0; round < 2; round++) {
      for (long run = 0; run < runs; run++) {
        large.take(run * gap, 1);
      }
      large.age();
      long before = threads.getCurrentThreadAllocatedBytes();
      for (long run = 0; run < runs; run += 2) {
        large.giveDirty(run * gap, 1);
      }
      for (long run = 1; run < runs; run += 2) {
        large.giveDirty(run * gap, 1);
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;

      assertThat(allocated).as("in round %d", round).isLessThan(1_000);
      large.checkInvariants();
    }
  }
}
