package dev.weir.memory.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.RefusedCharge.Hope;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.Workers;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CreditTest {
  private static final long MIB = 1 << 20;
  private static final int BLOCK_BYTES = 256;

  private final Budget root = Budget.root("pool", () -> 1_000_000, 0, () -> 0);
  private final Budget feature = root.child("feature", 2 * MIB);
  private final Credits credits = new Credits();

  @AfterEach
  void invariantsHold() {
    root.checkInvariants();
  }

  /** Charges until the heap has credit, which shows in nothing but the peak. */
  private int chargeUntilCredit(Budget budget) {
    for (int blocks = 1; blocks <= 100; blocks++) {
      assertThat(credits.tryCharge(budget, BLOCK_BYTES)).isTrue();
      if (budget.openCredits > 0) {
        return blocks;
      }
    }
    throw new AssertionError("no credit after 100 blocks");
  }

  @Test
  void creditIsChargedToNobody() {
    int blocks = chargeUntilCredit(feature);

    assertThat(feature.chargedBytes()).isEqualTo((long) blocks * BLOCK_BYTES);
    assertThat(root.chargedToChildrenBytes()).isEqualTo(feature.chargedBytes());
    assertThat(feature.peakChargedBytes()).isBetween(feature.chargedBytes(), 2 * MIB);
    for (int i = 0; i < blocks; i++) {
      credits.uncharge(feature, BLOCK_BYTES);
    }
    assertThat(feature.chargedBytes()).isZero();
  }

  @Test
  void nothingIsRefusedWhileAHeapHoldsWhatWouldCoverIt() {
    int blocks = chargeUntilCredit(feature);
    long rest = 2 * MIB - (long) blocks * BLOCK_BYTES;
    assertThat(feature.hasRoom(rest)).isTrue();
    assertThat(feature.hasRoom(rest + 1)).isFalse();
    assertThat(feature.limiting(rest + 1)).isSameAs(feature);

    assertThat(feature.tryCharge(rest + 1)).isFalse();
    assertThat(feature.tryCharge(rest)).isTrue();

    assertThat(feature.chargedBytes()).isEqualTo(2 * MIB);
    assertThat(credits.tryCharge(feature, 1)).as("the limit").isFalse();
    feature.uncharge(1);
    assertThat(credits.tryCharge(feature, 1)).isTrue();
  }

  @Test
  void nothingIsRecalledForWhatNoLimitAllows() {
    chargeUntilCredit(feature);

    assertThat(feature.tryCharge(2 * MIB + 1)).isFalse();
    assertThat(feature.hasRoom(2 * MIB + 1)).isFalse();

    assertThat(feature.openCredits).isOne();
  }

  @Test
  void aParentRecallsTheCreditOfAllItsChildren() {
    Budget one = feature.child("one", Budget.UNLIMITED);
    Budget two = feature.child("two", Budget.UNLIMITED);
    long charged = (long) BLOCK_BYTES * (chargeUntilCredit(one) + chargeUntilCredit(two));
    assertThat(feature.openCredits).isEqualTo(2);

    assertThat(feature.tryCharge(2 * MIB - charged)).isTrue();

    assertThat(feature.openCredits).isZero();
    assertThat(feature.chargedBytes()).isEqualTo(2 * MIB);
  }

  @Test
  void aHeapKeepsAtMost64KiBOfWhatIsReleased() {
    chargeUntilCredit(feature);
    assertThat(feature.tryCharge(MIB)).isTrue();
    for (int i = 0; i < 16; i++) {
      credits.uncharge(feature, 64 << 10);
      assertThat(feature.tree.unspentBytes(feature)).isBetween(1L, 64L << 10);
    }
  }

  @Test
  void theLargestSlotFitsIntoTheCredit() {
    chargeUntilCredit(feature);
    assertThat(credits.tryCharge(feature, 64 << 10)).isTrue();
    credits.uncharge(feature, 64 << 10);
    long inTree = feature.peakChargedBytes();
    for (int i = 0; i < 10; i++) {
      assertThat(credits.tryCharge(feature, 64 << 10)).isTrue();
      assertThat(feature.tree.unspentBytes(feature)).isZero();
      credits.uncharge(feature, 64 << 10);
    }
    assertThat(feature.peakChargedBytes()).isEqualTo(inTree);
  }

  @Test
  void aSmallBudgetIsNeverGivenAsCredit() {
    Budget channel = feature.child("channel", 400_000);
    for (int i = 0; i < 1_000; i++) {
      assertThat(credits.tryCharge(channel, BLOCK_BYTES)).isTrue();
      assertThat(channel.openCredits).isZero();
    }
    assertThat(channel.peakChargedBytes()).as("exact").isEqualTo(1_000L * BLOCK_BYTES);
  }

  @Test
  void nearALimitNoneIsGiven() {
    assertThat(feature.tryCharge(2 * MIB - 300_000)).isTrue();
    for (int i = 0; i < 1_000; i++) {
      assertThat(credits.tryCharge(feature, BLOCK_BYTES)).isTrue();
      assertThat(feature.openCredits).isZero();
    }
  }

  @Test
  void aLoweredLimitHoldsForCreditToo() {
    int blocks = chargeUntilCredit(feature);
    feature.setLimitBytes((long) blocks * BLOCK_BYTES);

    assertThat(credits.tryCharge(feature, 1)).isFalse();

    credits.uncharge(feature, BLOCK_BYTES);
    assertThat(credits.tryCharge(feature, BLOCK_BYTES)).isTrue();
  }

  @Test
  void aClosedBudgetLeavesWithItsLastBlockThoughAHeapHeldCredit() {
    int blocks = chargeUntilCredit(feature);
    feature.close();
    assertThat(credits.tryCharge(feature, 1)).isFalse();
    for (int i = 0; i < blocks; i++) {
      assertThat(root.children()).containsExactly(feature);
      credits.uncharge(feature, BLOCK_BYTES);
    }
    assertThat(root.children()).isEmpty();
    assertThat(feature.chargedBytes()).isZero();
  }

  @Test
  void aClosedHeapGivesItsCreditBack() {
    int blocks = chargeUntilCredit(feature);
    credits.close();

    assertThat(feature.openCredits).isZero();
    assertThat(feature.chargedBytes()).isEqualTo((long) blocks * BLOCK_BYTES);
    for (int i = 0; i < 100; i++) {
      assertThat(credits.tryCharge(feature, BLOCK_BYTES)).isTrue();
      credits.uncharge(feature, BLOCK_BYTES);
      assertThat(feature.openCredits).isZero();
    }
  }

  @Test
  void manyBudgetsShareFewEntries() {
    Budget[] features = new Budget[12];
    Arrays.setAll(features, i -> feature.child("f" + i, Budget.UNLIMITED));
    for (int i = 0; i < 10_000; i++) {
      assertThat(credits.tryCharge(features[i / 20 % 12], 16)).isTrue();
      assertThat(root.openCredits).isLessThanOrEqualTo(4);
    }
    assertThat(feature.chargedBytes()).isEqualTo(160_000);
    for (int i = 0; i < 10_000; i++) {
      credits.uncharge(features[i / 20 % 12], 16);
    }
    for (Budget each : features) {
      assertThat(each.chargedBytes()).isZero();
    }
  }

  /**
   * Owners at work without a pause, and one who wants all that they leave: its charge is refused
   * only if it is more than what nobody has charged at that moment, so one of exactly the rest of a
   * still budget is not.
   */
  @Test
  void recallReachesABusyOwner() throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    Workers workers = new Workers();
    for (int i = 0; i < 2; i++) {
      workers.platform(() -> {
        Credits own = new Credits();
        while (!done.get()) {
          if (own.tryCharge(feature, BLOCK_BYTES)) {
            own.uncharge(feature, BLOCK_BYTES);
          }
        }
        own.close();
      });
    }
    try {
      for (int i = 0; i < 20_000; i++) {
        // Each owner has one block charged at most.
        assertThat(feature.tryCharge(2 * MIB - 2 * BLOCK_BYTES)).isTrue();
        feature.uncharge(2 * MIB - 2 * BLOCK_BYTES);
      }
    } finally {
      done.set(true);
      workers.join();
    }
    assertThat(feature.chargedBytes()).isZero();
  }

  /** A recall, and the charge that it is for, are two steps: an owner comes between them. */
  @Test
  void whatIsTakenBackStaysFreeForTheOneThatNeedsIt() {
    int blocks = chargeUntilCredit(feature);
    long rest = 2 * MIB - (long) (blocks - 1) * BLOCK_BYTES;
    try (CreditRecall recall = CreditRecall.in(root)) {
      recall.takeBack(feature);
      assertThat(feature.openCredits).isZero();

      credits.uncharge(feature, BLOCK_BYTES);

      assertThat(feature.openCredits).isZero();
      assertThat(feature.chargeUnlessFull(rest)).isNull();
    }
    feature.uncharge(rest);
    chargeUntilCredit(feature);
  }

  @Test
  void aChargeAtOnceTellsWhatWouldHelp() {
    Budget leaf = feature.child("leaf", MIB);
    int blocks = chargeUntilCredit(leaf);
    long rest = MIB - (long) blocks * BLOCK_BYTES;

    assertThat(leaf.chargeUnlessFull(rest)).isEqualTo(new RefusedCharge(leaf, Hope.GOOD));
    assertThat(leaf.chargeUnlessFull(rest + 1)).isEqualTo(new RefusedCharge(leaf, Hope.SLIGHT));
    assertThat(leaf.chargeUnlessFull(rest + (128 << 10)))
        .isEqualTo(new RefusedCharge(leaf, Hope.NONE));
    assertThat(feature.tryCharge(MIB)).isTrue();
    assertThat(leaf.chargeUnlessFull(2 * MIB))
        .as("both full, one of them in any case")
        .isEqualTo(new RefusedCharge(leaf, Hope.NONE));
    feature.setLimitBytes(0);
    assertThat(leaf.chargeUnlessFull(rest)).isEqualTo(new RefusedCharge(feature, Hope.NONE));
    leaf.close();
    assertThat(leaf.chargeUnlessFull(1)).isEqualTo(new RefusedCharge(leaf, Hope.NONE));
    assertThat(leaf.fullFor(1)).isSameAs(leaf);
    assertThat(feature.fullFor(0)).isSameAs(feature);
  }

  /** Each owner comes to the credit that the other one has looked at already. */
  @Test
  void aBlockThatOwnersHandToAndFroIsNoReasonToRefuseTheRest() throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger turn = new AtomicInteger();
    Workers workers = new Workers();
    for (int i = 0; i < 2; i++) {
      int self = i;
      workers.platform(() -> {
        Credits own = new Credits();
        while (!done.get()) {
          if (turn.get() == self && own.tryCharge(feature, BLOCK_BYTES)) {
            own.uncharge(feature, BLOCK_BYTES);
            turn.set(1 - self);
          }
          Thread.onSpinWait();
        }
        own.close();
      });
    }
    try {
      for (int i = 0; i < 100_000; i++) {
        assertThat(feature.hasRoom(2 * MIB - BLOCK_BYTES)).isTrue();
        assertThat(feature.tryCharge(2 * MIB - BLOCK_BYTES)).isTrue();
        feature.uncharge(2 * MIB - BLOCK_BYTES);
      }
    } finally {
      done.set(true);
      workers.join();
    }
    assertThat(feature.chargedBytes()).isZero();
  }

  /** Heaps that come and go, blocks that others release, limits that move, giants between them. */
  @Test
  void sumsAreExactAndNoLimitIsOvershot() throws Exception {
    SeededRuns.forSeeds(
        CreditTest.class,
        3,
        random -> {
          Budget top = root.child("top", 3 * MIB);
          Budget[] leaves = {top, top.child("a", 2 * MIB), top.child("b", Budget.UNLIMITED)};
          AtomicLong[] held = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
          AtomicLong live = new AtomicLong();
          Workers workers = new Workers();
          for (int i = 0; i < 3; i++) {
            SplittableRandom own = random.split();
            workers.platform(() -> charges(leaves, held, live, own));
          }
          workers.join();

          root.checkInvariants();
          for (int i = 1; i < leaves.length; i++) {
            assertThat(leaves[i].chargedBytes()).isEqualTo(held[i].get());
          }
          assertThat(top.chargedBytes())
              .isEqualTo(Arrays.stream(held).mapToLong(AtomicLong::get).sum());
          assertThat(top.openCredits).isZero();
          assertThat(top.peakChargedBytes()).isLessThanOrEqualTo(3 * MIB);
        });
  }

  private void charges(
      Budget[] leaves, AtomicLong[] held, AtomicLong live, SplittableRandom random) {
    Credits own = new Credits();
    for (int step = 0; step < 100_000; step++) {
      int leaf = random.nextInt(leaves.length);
      int bytes = random.nextInt(200) == 0 ? random.nextInt(1 << 20) : random.nextInt(8_192);
      if (random.nextInt(5) < 3) {
        // Counted before it is given back and after it is had: never more than is charged.
        if (own.tryCharge(leaves[leaf], bytes)) {
          held[leaf].addAndGet(bytes);
          if (live.addAndGet(bytes) > 3 * MIB) {
            throw new AssertionError("above the limit: " + leaves[0]);
          }
        }
      } else {
        long before = held[leaf].get();
        if (before >= bytes && held[leaf].compareAndSet(before, before - bytes)) {
          live.addAndGet(-bytes);
          own.uncharge(leaves[leaf], bytes); // Charged by whomever.
        }
      }
      if (step % 10_000 == 9_999) {
        own.close();
        own = new Credits();
      }
    }
    own.close();
  }
}
