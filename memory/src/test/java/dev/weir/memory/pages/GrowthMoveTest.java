package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.testing.PageHeaps;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A block moved a second time: its range is two mappings by then, which the fake moves one by one.
 */
class GrowthMoveTest {
  private static final long MIB = 1 << 20;
  private static final long LIMIT_BYTES = 300 * MIB;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final PageHeap heap =
      PageHeaps.over(os, Reservation.reserve(os, LIMIT_BYTES), LIMIT_BYTES, MIB, 1);
  private GrowthRange range;

  @BeforeEach
  void moveOnce() {
    range = heap.growth().tryOpen(4 * MIB, Lane.LARGE);
    os.touch(range.address(), 4 * MIB);
    range = heap.growth().tryMove(range, 256 * MIB, Lane.LARGE);
    os.touch(range.address(), 256 * MIB);
    assertThat(os.moves()).isEqualTo(1);
  }

  @Test
  void aRoomMovesInThePiecesThatItsPagesHaveComeIn() {
    range = heap.growth().tryMove(range, 280 * MIB, Lane.LARGE);
    os.touch(range.address() + 256 * MIB, 24 * MIB);
    assertThat(os.moves()).isEqualTo(3);
    end(280 * MIB);
  }

  /** The limit has no room for a copy. The piece that has been moved moves back. */
  @ParameterizedTest(name = "where move {0} fails")
  @ValueSource(ints = {1, 2})
  void whatDoesNotMoveWholeIsWhereItWas(int failing) {
    os.failAt(failing);
    assertThat(heap.growth().tryMove(range, 280 * MIB, Lane.LARGE)).isNull();
    assertThat(os.failures()).isEqualTo(1);
    assertThat(os.moves()).isEqualTo(failing == 1 ? 1 : 3);
    end(256 * MIB);
  }

  @Test
  void whatDoesNotEvenMoveBackIsCopiedBack() {
    os.failMovesAfter(2);
    assertThat(heap.growth().tryMove(range, 280 * MIB, Lane.LARGE)).isNull();
    assertThat(os.moves()).isEqualTo(2);
    end(256 * MIB);
  }

  @Test
  void aCopyThatFailsTakesNothingOfTheLimit() {
    heap.growth().close(range);
    GrowthRange small = heap.growth().tryOpen(4 * MIB, Lane.LARGE);
    os.touch(small.address(), 4 * MIB);
    os.failMoves(true);
    os.failCopies(true);

    assertThatExceptionOfType(NativeMemoryException.class)
        .isThrownBy(() -> heap.growth().tryMove(small, 5 * MIB, Lane.LARGE));

    assertThat(heap.totals().liveBytes()).isEqualTo(4 * MIB);
    heap.checkInvariants();
    heap.growth().close(small);
    assertThat(heap.totals().liveBytes()).isZero();
    heap.dirtyPurges().purgeAll();
    assertThat(os.residentBytes()).isZero();
  }

  /** All of the block is resident where it says it is, and nothing else. */
  private void end(long bytes) {
    assertThat(range.liveBytes).isEqualTo(bytes);
    assertThat(heap.totals().liveBytes()).isEqualTo(bytes);
    assertThat(os.residentBytes()).isEqualTo(bytes);
    heap.checkInvariants();
    os.purge(range.address(), bytes);
    assertThat(os.residentBytes()).isZero();
    heap.growth().close(range);
    assertThat(heap.totals().liveBytes()).isZero();
  }
}
