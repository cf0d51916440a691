package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.pages.ReservationPlan;
import dev.weir.memory.pages.SpanSize;
import dev.weir.memory.testing.PageHeaps;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private static final long LIMIT_BYTES = 1 << 20;

  private int sums;

  /** Counts how often all its blocks are summed up. */
  private Budget countingRoot() {
    return Budget.root("pool", () -> LIMIT_BYTES, Budget.UNLIMITED, () -> sums++);
  }

  /** Of a large pool that takes far longer than the rest of a refusal. */
  @Test
  void theRootIsNamedWithoutSummingUpItsBlocks() {
    FakeNativeMemory os = new FakeNativeMemory();
    Reservation reservation = Reservation.reserve(os, LIMIT_BYTES);
    PageHeap pages = PageHeaps.over(os, reservation, LIMIT_BYTES);
    Budget root = countingRoot();

    assertThat(Refusals.of(pages, 100_000, root, LIMIT_BYTES)).hasMessageContaining("'pool'");

    assertThat(sums).isZero();
    reservation.release();
  }

  /** More than there are addresses for, but not for want of addresses. */
  @Test
  void whatIsFarTooMuchIsNotSaidToWantAddresses() {
    FakeNativeMemory os = new FakeNativeMemory();
    ReservationPlan half = ReservationPlan.of(LIMIT_BYTES, os.pageBytes(), 1);
    os.limitReservations(half.bytes() + 4 * SpanSize.LARGE.bytes());
    Reservation reservation = Reservation.reserve(os, LIMIT_BYTES);
    assertThat(reservation.plan().halvings()).isPositive();
    PageHeap pages = PageHeaps.over(os, reservation, LIMIT_BYTES);
    Budget root = countingRoot();

    assertThat(Refusals.of(pages, Long.MAX_VALUE, root, LIMIT_BYTES))
        .hasMessageContaining("'pool'")
        .message()
        .doesNotContain("addresses");
    reservation.release();
  }
}
