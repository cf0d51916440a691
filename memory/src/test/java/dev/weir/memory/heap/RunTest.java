package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageHeapEvents;
import dev.weir.memory.pages.Reservation;
import org.junit.jupiter.api.Test;

class RunTest {
  private static final long LIMIT_BYTES = 16 << 20;
  private static final long PROMISED_BYTES = 256 << 10;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final PageHeap pages =
      new PageHeap(
          os,
          Reservation.reserve(os, LIMIT_BYTES),
          LIMIT_BYTES,
          0,
          SizeClasses.COUNT,
          new PageHeapEvents() {
            @Override
            public void roomFreed() {}

            @Override
            public void liveGrown() {}

            @Override
            public void dirtyHigh() {}
          });

  /** The Java heap may be full. */
  @Test
  void aPromiseIsAsItWasWhereNoObjectForTheRunCanBeMade() {
    assertThat(pages.tryPromise(PROMISED_BYTES)).isTrue();

    assertThatThrownBy(() ->
            Run.tryAllocatePromised(
                pages,
                PROMISED_BYTES / 2,
                (home, number, found) -> {
                  throw new OutOfMemoryError("Java heap space, says the test");
                }))
        .isInstanceOf(OutOfMemoryError.class);

    assertThat(pages.totals().promisedBytes()).isEqualTo(PROMISED_BYTES);
    assertThat(pages.totals().liveBytes()).isZero();
    pages.returnPromise(PROMISED_BYTES);
    pages.checkInvariants();
  }
}
