package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.PoolOptions;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.ReservationFailedError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ReservationPlanTest {
  @Test
  void theFullPlanHoldsTheWorstCaseOfEveryRegion() {
    for (long limit = 1 << 20; limit <= 1L << 34; limit *= 2) {
      ReservationPlan plan = ReservationPlan.of(limit, 4096);
      long pages = limit / 4096;
      assertThat(plan.halvings()).isZero();
      assertThat(plan.runPages())
          .as("Robson's bound for first fit")
          .isGreaterThanOrEqualTo((long) (pages * (Math.log(pages) / Math.log(2) + 1)));
      assertThat(plan.smallSpans()).isGreaterThanOrEqualTo((int) (limit / 4096));
      assertThat(plan.largeSpans()).isGreaterThanOrEqualTo((int) (limit / 8192));
      assertThat(plan.guarantee()).contains("no request within the bound is refused");
    }
  }

  @Test
  void pagesAreThoseOfTheSystem() {
    assertThat(ReservationPlan.of(64 << 20, 4096).pageBytes()).isEqualTo(4096);
    assertThat(ReservationPlan.of(64 << 20, 16_384).pageBytes()).isEqualTo(16_384);
    assertThat(ReservationPlan.of(64 << 20, 65_536).pageBytes()).isEqualTo(65_536);
  }

  @Test
  void smallerPlansHalveUntilTheyHoldTheLimitOnce() {
    long limit = 256L << 20;
    ReservationPlan plan = ReservationPlan.of(limit, 4096);
    ReservationPlan next = plan;
    while (next != null) {
      plan = next;
      assertThat(plan.runPages() * plan.pageBytes()).isGreaterThanOrEqualTo(limit);
      assertThat((long) plan.smallSpans() * SpanSize.SMALL.bytes()).isGreaterThanOrEqualTo(limit);
      assertThat((long) plan.largeSpans() * SpanSize.LARGE.bytes()).isGreaterThanOrEqualTo(limit);
      next = plan.smaller(limit, 4096);
      if (next != null) {
        assertThat(next.bytes()).isLessThan(plan.bytes());
        assertThat(next.halvings()).isEqualTo(plan.halvings() + 1);
        assertThat(next.guarantee()).contains("halved " + next.halvings());
      }
    }
    assertThat(plan.bytes()).isLessThan(4 * limit);
    assertThat(plan.bytes()).isLessThanOrEqualTo(ReservationPlan.smallest(limit, 4096).bytes());
  }

  @Test
  void theLargestLimitHasAPlanWithinTheAddressSpace() {
    ReservationPlan plan = ReservationPlan.of(PoolOptions.MAX_LIMIT_BYTES, 4096);

    assertThat(plan.bytes()).isBetween(PoolOptions.MAX_LIMIT_BYTES, 1L << 46);
    assertThat(plan.halvings()).isPositive();
  }

  @Test
  void regionsLieAlignedInOrderAndInsideTheReservation() {
    for (int osPageBytes : new int[] {4096, 16_384, 65_536}) {
      FakeNativeMemory os = new FakeNativeMemory(osPageBytes);
      Reservation reservation = Reservation.reserve(os, 3 << 20);
      ReservationPlan plan = reservation.plan();

      assertThat(reservation.largeSpanBase() % SpanSize.LARGE.bytes()).isZero();
      assertThat(reservation.smallSpanBase() % SpanSize.SMALL.bytes()).isZero();
      assertThat(reservation.runBase() % plan.pageBytes()).isZero();
      assertThat(reservation.largeSpanBase()).isGreaterThanOrEqualTo(reservation.address());
      assertThat(reservation.smallSpanBase())
          .isEqualTo(
              reservation.largeSpanBase() + (long) plan.largeSpans() * SpanSize.LARGE.bytes());
      assertThat(reservation.runBase())
          .isGreaterThanOrEqualTo(
              reservation.smallSpanBase() + (long) plan.smallSpans() * SpanSize.SMALL.bytes());
      assertThat(reservation.address() + reservation.bytes())
          .isGreaterThanOrEqualTo(reservation.runBase() + plan.runPages() * plan.pageBytes());
      reservation.release();
      assertThat(os.reservations()).isZero();
    }
  }

  @Test
  void aReservationTakesTheLargestPlanThatIsGranted() {
    FakeNativeMemory os = new FakeNativeMemory();
    long limit = 64L << 20;
    long full = ReservationPlan.of(limit, 4096).bytes();
    os.limitReservations(full / 3);

    Reservation reservation = Reservation.reserve(os, limit);

    assertThat(reservation.bytes()).isLessThanOrEqualTo(full / 3);
    assertThat(reservation.plan().halvings()).isEqualTo(2);
  }

  @Test
  void aLimitThatCannotBeMappedEvenOnceFails() {
    FakeNativeMemory os = new FakeNativeMemory();
    os.limitReservations(64L << 20);

    assertThatThrownBy(() -> Reservation.reserve(os, 64L << 20))
        .isInstanceOf(ReservationFailedError.class);
    assertThat(os.reservations()).isZero();
  }
}
