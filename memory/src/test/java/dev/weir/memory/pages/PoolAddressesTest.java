package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.ReservationFailedError;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pools of one process share its addresses. */
@Timeout(120)
class PoolAddressesTest {
  private static final long GIB = 1L << 30;
  private static final long TIB = 1L << 40;

  private final List<Reservation> reservations = new ArrayList<>();

  @AfterEach
  void release() {
    reservations.forEach(Reservation::release);
  }

  private Reservation reserve(NativeMemory os, long limitBytes) {
    Reservation reservation = Reservation.reserve(os, limitBytes);
    reservations.add(reservation);
    return reservation;
  }

  @Test
  void poolsShareHalfFreelyAndThenEachTakesAPartOfTheRest() {
    PoolAddresses pools = new PoolAddresses();
    assertThat(pools.shareBytes(128 * TIB)).isEqualTo(64 * TIB);
    pools.add(40 * TIB);
    assertThat(pools.shareBytes(88 * TIB)).isEqualTo(24 * TIB);
    pools.add(24 * TIB);
    assertThat(pools.shareBytes(64 * TIB)).isEqualTo(TIB);
    pools.remove(40 * TIB);
    assertThat(pools.shareBytes(104 * TIB)).isEqualTo(40 * TIB);
  }

  @Test
  void fiveHundredPoolsOfAGibibyteFitInAProcess() {
    for (int i = 0; i < 500; i++) {
      Reservation reservation = reserve(NativeMemory.system(), GIB);
      if (i < 300) {
        assertThat(reservation.plan().halvings()).as("pool %d", i).isZero();
      }
    }
    assertThat(reservations.getLast().plan().halvings()).isPositive();
  }

  @Test
  void aPoolLeavesHalfOfASmallAddressSpaceToTheProcess() {
    long shareBytes = new PoolAddresses().shareBytes(8 * GIB);

    ReservationPlan plan = ReservationPlan.of(64L << 20, 4096).within(shareBytes, 64L << 20, 4096);

    assertThat(plan.bytes()).isBetween(GIB, 4 * GIB);
    assertThat(plan.halvings()).isPositive();
  }

  @Test
  void theLeastIsThreeTimesTheLimitAndIsTriedWhateverTheShareIs() {
    FakeNativeMemory os = new FakeNativeMemory();
    os.limitAddresses(4 * GIB);

    Reservation reservation = reserve(os, GIB);

    assertThat(reservation.bytes()).isBetween(3 * GIB, 3 * GIB + (4L << 20));
  }

  @Test
  void theErrorNamesTheAddressesThatOtherPoolsHold() {
    FakeNativeMemory os = new FakeNativeMemory();
    os.limitAddresses(4 * GIB);
    long held = reserve(os, GIB).bytes();

    assertThatThrownBy(() -> reserve(os, GIB))
        .isInstanceOf(ReservationFailedError.class)
        .message()
        .containsPattern("Other pools of this process hold [0-9,]+ bytes of addresses")
        .satisfies(message -> {
          String bytes = message.replaceAll(".* hold ([0-9,]+) bytes of addresses.*", "$1");
          assertThat(Long.parseLong(bytes.replace(",", ""))).isGreaterThanOrEqualTo(held);
        });
  }
}
