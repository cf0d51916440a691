package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.Workers;
import org.junit.jupiter.api.Test;

class ResidentLedgerTest {
  private final ResidentLedger ledger = new ResidentLedger(1_000, 100);

  @Test
  void onlySmallRequestsMayUseTheReserve() {
    assertThat(ledger.admits(900, Lane.LARGE)).isTrue();
    assertThat(ledger.admits(901, Lane.LARGE)).isFalse();
    assertThat(ledger.admits(1_000, Lane.SMALL)).isTrue();
    assertThat(ledger.admits(1_001, Lane.SMALL)).isFalse();
    assertThat(ledger.largestAdmissible(Lane.LARGE)).isEqualTo(900);
    assertThat(ledger.largestAdmissible(Lane.SMALL)).isEqualTo(1_000);
  }

  @Test
  void dirtyBytesDoNotStandInTheWayButMustGoFirst() {
    ledger.allocate(800, 0);
    ledger.free(700);

    assertThat(ledger.admits(800, Lane.LARGE)).isTrue();
    assertThat(ledger.excess(200)).isZero();
    assertThat(ledger.excess(500)).isEqualTo(300);
    ledger.purged(300);
    assertThat(ledger.excess(500)).isZero();
    ledger.allocate(500, 400);
    assertThat(ledger.liveBytes()).isEqualTo(1_000);
    assertThat(ledger.dirtyBytes()).isZero();
  }

  @Test
  void thePeakIsOfTwoAgesWithoutWhatWasPurgedInsideSlabs() {
    ledger.allocate(800, 0);
    ledger.free(300);
    assertThat(ledger.peakLiveBytes()).isEqualTo(800);
    ledger.purgedLive(200);
    assertThat(ledger.peakLiveBytes()).isEqualTo(600);

    ledger.age();
    assertThat(ledger.peakLiveBytes()).isEqualTo(600);
    ledger.purgedLive(250);
    assertThat(ledger.peakLiveBytes()).isEqualTo(350);

    ledger.age();
    assertThat(ledger.peakLiveBytes()).as("never less than what is live").isEqualTo(50);
  }

  @Test
  void promisesCountLikeLiveBytesUntilTheyAreKept() {
    ledger.promise(600, Lane.PROMISE);
    assertThat(ledger.admits(176, Lane.PROMISE)).as("two 16ths are headroom and small").isTrue();
    assertThat(ledger.admits(177, Lane.PROMISE)).isFalse();
    assertThat(ledger.admits(238, Lane.SMALL_PROMISE)).as("a 16th is headroom").isTrue();
    assertThat(ledger.admits(239, Lane.SMALL_PROMISE)).isFalse();
    assertThat(ledger.admits(300, Lane.LARGE)).isTrue();
    assertThat(ledger.admits(301, Lane.LARGE)).isFalse();
    assertThat(ledger.residentBytes()).isZero();

    ledger.allocate(600, 0);
    ledger.keepPromise(600);

    assertThat(ledger.promisedBytes()).isZero();
    assertThat(ledger.admits(300, Lane.LARGE)).isTrue();
    assertThat(ledger.admits(301, Lane.LARGE)).isFalse();
  }

  @Test
  void whatOneThreadGathersNobodyElseGets() throws InterruptedException {
    ledger.allocate(600, 0);
    assertThat(ledger.tryBeginGathering(200, 0, 10)).isTrue();

    assertThat(ledger.admits(300, Lane.LARGE)).as("its own").isTrue();
    assertThat(ledger.admits(400, Lane.SMALL)).as("its own, and the reserve").isTrue();
    inAnotherThread(() -> {
      assertThat(ledger.tryBeginGathering(1, 9, 10)).as("one at a time").isFalse();
      assertThat(ledger.admits(100, Lane.LARGE)).as("beside what is gathered").isTrue();
      assertThat(ledger.admits(101, Lane.LARGE)).isFalse();
      assertThat(ledger.admits(101, Lane.SMALL)).as("nor out of the reserve").isFalse();
      assertThat(ledger.admits(176, Lane.PROMISE)).as("promises count in the bound").isTrue();
      assertThat(ledger.admits(238, Lane.SMALL_PROMISE)).as("small ones too").isTrue();
    });
    ledger.endGathering();
    inAnotherThread(() -> {
      assertThat(ledger.admits(400, Lane.SMALL)).isTrue();
      assertThat(ledger.tryBeginGathering(1, 9, 10)).isTrue();
    });
    assertThat(ledger.admits(238, Lane.SMALL_PROMISE)).as("whoever gathers how little").isTrue();
    assertThat(ledger.admits(239, Lane.SMALL_PROMISE)).as("the headroom is left").isFalse();
  }

  @Test
  void whatOneThreadHasCleanedOthersLeaveClean() throws InterruptedException {
    ledger.allocate(1_000, 0);
    ledger.free(500);
    ledger.purged(300);
    ledger.cleaned(100);
    inAnotherThread(() -> assertThat(ledger.excess(300)).as("nobody gathers").isZero());

    assertThat(ledger.tryBeginGathering(200, 0, 10)).isTrue();
    inAnotherThread(() -> assertThat(ledger.excess(300)).as("nothing is cleaned yet").isZero());
    ledger.cleaned(150);
    assertThat(ledger.excess(300)).as("its own").isZero();
    inAnotherThread(() -> {
      assertThat(ledger.excess(150)).isZero();
      assertThat(ledger.excess(300)).isEqualTo(150);
      assertThat(ledger.excessOfPromised(300)).as("promises come first").isZero();
      ledger.cleaned(200);
      assertThat(ledger.excess(150)).as("another's room").isZero();
    });
    ledger.cleaned(300);
    inAnotherThread(() -> assertThat(ledger.excess(100)).as("no more than is gathered").isZero());
    ledger.endGathering();
    inAnotherThread(() -> assertThat(ledger.excess(300)).isZero());
  }

  @Test
  void whoGathersTooLongIsSucceeded() throws InterruptedException {
    assertThat(ledger.tryBeginGathering(200, 0, 10)).isTrue();
    ledger.cleaned(200);
    assertThat(ledger.renewGathering(10)).isTrue();
    inAnotherThread(() -> {
      assertThat(ledger.tryBeginGathering(300, 19, 10)).as("it has gone on").isFalse();
      assertThat(ledger.tryBeginGathering(300, 20, 10)).isTrue();
    });
    ledger.cleaned(200);
    assertThat(ledger.excess(1_000)).as("the other has cleaned nothing").isZero();

    assertThat(ledger.renewGathering(21)).isFalse();
    ledger.endGathering();

    assertThat(ledger.admits(600, Lane.LARGE)).isTrue();
    assertThat(ledger.admits(601, Lane.LARGE)).as("the other gathers still").isFalse();
  }

  private static void inAnotherThread(Workers.Work work) throws InterruptedException {
    Workers another = new Workers();
    another.platform(work);
    another.join();
  }

  @Test
  void thePeakIsTheMostThatWasResident() {
    ledger.allocate(500, 0);
    ledger.free(500);
    ledger.allocate(0, 300);
    ledger.purged(200);

    assertThat(ledger.residentBytes()).isEqualTo(300);
    assertThat(ledger.peakResidentBytes()).isEqualTo(500);
  }

  @Test
  void aLoweredLimitAdmitsNothingUntilMemoryIsFreed() {
    ledger.allocate(500, 0);
    ledger.setLimit(400, 0);

    assertThat(ledger.admits(1, Lane.SMALL)).isFalse();
    ledger.free(200);
    assertThat(ledger.admits(100, Lane.SMALL)).isTrue();
    assertThat(ledger.admits(101, Lane.SMALL)).isFalse();
  }

  @Test
  void promisesLeaveHeadroomForWhatFillsThem() {
    long mib = 1L << 20;
    ResidentLedger ledger = new ResidentLedger(256 * mib, mib);
    ledger.promise(253 * mib, Lane.SMALL_PROMISE);
    assertThat(ledger.admits(1, Lane.SMALL_PROMISE)).isFalse();
    assertThat(ledger.admits(2 * mib, Lane.LARGE)).isTrue();
    assertThat(ledger.largestAdmissible(Lane.SMALL_PROMISE)).isEqualTo(253 * mib);
    assertThat(ledger.largestAdmissible(Lane.PROMISE)).isEqualTo(237 * mib);
    assertThat(new ResidentLedger(16 * mib, 0).largestAdmissible(Lane.PROMISE)).isEqualTo(14 * mib);
    assertThat(new ResidentLedger(1024 * mib, 0).largestAdmissible(Lane.PROMISE))
        .isEqualTo(952 * mib);
  }

  @Test
  void theBandOfUsedBytesIsLeftOnce() {
    ResidentLedger ledger = new ResidentLedger(1_000, 0);
    ledger.setBand(100, 200);
    assertThat(ledger.leaveBand()).as("nothing is used").isTrue();
    assertThat(ledger.leaveBand()).isFalse();
    assertThat(ledger.hasLeftBand()).isTrue();
    ledger.setBand(0, 200);
    ledger.allocate(150, 0);
    ledger.free(50);
    ledger.promise(99, Lane.PROMISE);
    assertThat(ledger.hasLeftBand()).isFalse();

    ledger.promise(1, Lane.PROMISE);

    assertThat(ledger.leaveBand()).isTrue();
    assertThat(ledger.leaveBand()).isFalse();
    assertThat(ledger.hasLeftBand()).isTrue();
  }

  @Test
  void smallPromisesHaveA16thOfTheirOwn() {
    ResidentLedger ledger = new ResidentLedger(1_600, 0);
    assertThat(ledger.largestAdmissible(Lane.PROMISE)).isEqualTo(1_400);
    ledger.promise(1_400, Lane.PROMISE);
    assertThat(ledger.admits(1, Lane.PROMISE)).isFalse();
    assertThat(ledger.admits(100, Lane.OWN_SMALL_PROMISE)).isTrue();
    assertThat(ledger.admits(101, Lane.OWN_SMALL_PROMISE)).isFalse();
    ledger.promise(60, Lane.SMALL_PROMISE);
    assertThat(ledger.admits(40, Lane.OWN_SMALL_PROMISE)).isTrue();
    assertThat(ledger.admits(41, Lane.OWN_SMALL_PROMISE)).isFalse();
    ledger.returnPromise(1_400, Lane.PROMISE);

    assertThat(ledger.admits(1_400, Lane.PROMISE)).as("what they use is theirs").isTrue();
    assertThat(ledger.admits(1_401, Lane.PROMISE)).isFalse();
    ledger.promise(200, Lane.SMALL_PROMISE);
    assertThat(ledger.admits(41, Lane.OWN_SMALL_PROMISE)).isFalse();
    assertThat(ledger.admits(1_240, Lane.PROMISE)).isTrue();
    assertThat(ledger.admits(1_241, Lane.PROMISE)).isFalse();
  }

  @Test
  void blocksOutOfSmallPromisesCountUntilTheyAreFreed() {
    ResidentLedger ledger = new ResidentLedger(1_600, 0);
    ledger.promise(100, Lane.SMALL_PROMISE);
    ledger.allocate(100, 0);
    ledger.keepPromise(100);
    assertThat(ledger.admits(1, Lane.OWN_SMALL_PROMISE)).isFalse();

    ledger.free(100);
    ledger.freed(100, Lane.SMALL_PROMISE);

    assertThat(ledger.admits(100, Lane.OWN_SMALL_PROMISE)).isTrue();
    assertThat(ledger.smallPromisesBytes()).isZero();
  }
}
