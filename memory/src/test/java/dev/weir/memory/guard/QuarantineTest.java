package dev.weir.memory.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.os.AddressSpace;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.testing.PageHeaps;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Released blocks whose pages cannot be given back, or of which nobody can be told. */
class QuarantineTest {
  private static final long LIMIT_BYTES = 1 << 20;
  private static final Logger LOG = Logger.getLogger("dev.weir.memory.hardening");

  private final Reservation reservation = Reservation.reserve(NativeMemory.system(), LIMIT_BYTES);
  private final PageHeap pages = PageHeaps.over(NativeMemory.system(), reservation, LIMIT_BYTES);

  @AfterEach
  void giveBack() {
    reservation.release();
  }

  private Hardener hardener(long quarantineBytes) {
    return new Hardener(
        Hardening.full().withQuarantine(quarantineBytes), "p", LIMIT_BYTES, () -> {});
  }

  private Guard guard(Hardener hardener, long bytes) {
    return Objects.requireNonNull(hardener.tryGuard(pages, bytes));
  }

  private void releaseFails(Guard guard) {
    // Pages that are free already cannot be given back.
    pages.runs().free(guard.runAddress(), guard.runBytes(), Lane.LARGE);
    assertThatIllegalStateException()
        .isThrownBy(() -> {
          guard.claimRelease();
          guard.finishRelease();
        });
  }

  @Test
  void onlySoManyBlocksRestHoweverSmallTheyAre() {
    Hardener hardener = hardener(LIMIT_BYTES);
    Quarantine quarantine = new Quarantine(LIMIT_BYTES, 2, () -> {});
    Guard first = guard(hardener, 100);
    for (Guard guard : List.of(first, guard(hardener, 100), guard(hardener, 100))) {
      guard.claimRelease();
      assertThat(guard.tryClose()).isTrue();
      quarantine.add(guard);
    }

    assertThat(quarantine.size()).isEqualTo(2);
    assertThat(quarantine.at(first.address())).as("the oldest leaves").isNull();
    quarantine.giveUp(Long.MAX_VALUE);
    assertThat(pages.totals().liveBytes()).isZero();
  }

  @Test
  void whatCannotBeGivenBackStays() {
    Hardener hardener = hardener(4_096);
    Guard large = guard(hardener, 20_000);

    releaseFails(large);

    assertThat(hardener.quarantine().size()).isEqualTo(1);
    assertThat(hardener.quarantine().at(large.address())).isSameAs(large);
    assertThatIllegalStateException().isThrownBy(() -> hardener.giveUp(Long.MAX_VALUE));
    assertThat(hardener.quarantine().size()).isEqualTo(1);
    assertThat(pages.runs().allocate(large.runBytes())).isEqualTo(large.runAddress());
    assertThat(hardener.giveUp(Long.MAX_VALUE)).isTrue();
    assertThat(hardener.quarantine().size()).isZero();
    assertThat(pages.totals().liveBytes()).isZero();
  }

  @Test
  void aLogThatFailsKeepsNoPages() {
    Hardener hardener = hardener(LIMIT_BYTES);
    Guard guard = guard(hardener, 100);
    AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, guard.address() + 100, (byte) 7);
    Handler failing =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            throw new IllegalStateException("thrown by a test");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    LOG.addHandler(failing);
    try {
      guard.claimRelease();
      assertThatCode(guard::finishRelease).doesNotThrowAnyException();
    } finally {
      LOG.removeHandler(failing);
    }

    assertThat(hardener.report().total()).isEqualTo(1);
    assertThat(hardener.quarantine().size()).isEqualTo(1);
    assertThat(hardener.giveUp(Long.MAX_VALUE)).isTrue();
    assertThat(pages.totals().liveBytes()).isZero();
  }
}
