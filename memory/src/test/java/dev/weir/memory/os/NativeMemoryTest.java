package dev.weir.memory.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every implementation promises, on the real operating system. */
class NativeMemoryTest {
  static Stream<NativeMemory> implementations() {
    return Stream.of(NativeMemory.system(), new PortableNativeMemory());
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void aRangeIsReadableAndWritableFromEndToEnd(NativeMemory os) {
    long bytes = 64L * os.pageBytes();
    long address = os.reserve(bytes);

    assertThat(address % os.pageBytes()).isZero();
    AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, address, (byte) 1);
    AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, address + bytes - 1, (byte) 2);
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address)).isEqualTo((byte) 1);
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + bytes - 1))
        .isEqualTo((byte) 2);
    os.release(address, bytes);
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void purgedPagesReadAsZeroOrAsWhatTheyHeld(NativeMemory os) {
    int page = os.pageBytes();
    long address = os.reserve(4L * page);
    for (int i = 0; i < 4; i++) {
      AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, address + (long) i * page, (byte) 7);
    }
    os.purge(address + page, 2L * page);

    byte inside = AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + page);
    assertThat(inside).isEqualTo(os.canPurge() ? (byte) 0 : (byte) 7);
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address)).isEqualTo((byte) 7);
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + 3L * page))
        .isEqualTo((byte) 7);
    os.release(address, 4L * page);
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void rangesArePurgedTogether(NativeMemory os) {
    int page = os.pageBytes();
    long address = os.reserve(40L * page);
    for (int i = 0; i < 40; i++) {
      AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, address + (long) i * page, (byte) 7);
    }
    PurgeRanges ranges = new PurgeRanges();
    while (!ranges.isFull()) {
      ranges.add(address + 2L * ranges.count() * page, page);
    }
    os.purge(ranges);

    assertThat(ranges.purged()).isEqualTo(PurgeRanges.CAPACITY);
    for (int i = 0; i < 40; i++) {
      boolean purged = os.canPurge() && i % 2 == 0 && i < 2 * PurgeRanges.CAPACITY;
      assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + (long) i * page))
          .as("page %d", i)
          .isEqualTo(purged ? (byte) 0 : (byte) 7);
    }
    os.release(address, 40L * page);
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void movedPagesAreAtTheTargetAloneOrStay(NativeMemory os) {
    int page = os.pageBytes();
    long source = os.reserve(8L * page);
    long target = source + 4L * page;
    for (int i = 0; i < 8; i++) {
      AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, source + (long) i * page, (byte) (i + 1));
    }

    boolean moved = os.tryMove(source, target, 3L * page);

    assertThat(moved).isEqualTo(os.canPurge() && OS.LINUX.isCurrentOs());
    for (int i = 0; i < 3; i++) {
      assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, source + (long) i * page))
          .isEqualTo(moved ? (byte) 0 : (byte) (i + 1));
      assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, target + (long) i * page))
          .isEqualTo((byte) (moved ? i + 1 : i + 5));
    }
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, source + 3L * page)).isEqualTo((byte) 4);
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, target + 3L * page)).isEqualTo((byte) 8);
    AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, source, (byte) 9);
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, source)).isEqualTo((byte) 9);
    os.release(source, 8L * page);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void whatCannotBeMovedStaysAndTheTargetIsMappedStill() {
    NativeMemory os = NativeMemory.system();
    int page = os.pageBytes();
    long source = os.reserve(4L * page);
    AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, source, (byte) 7);

    assertThat(os.tryMove(source, source + 2L * page + 1, page)).isFalse();

    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, source)).isEqualTo((byte) 7);
    AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, source + 2L * page, (byte) 8);
    os.release(source, 4L * page);
  }

  @Test
  void whereOneRangeFailsThoseBeforeItAreGone() {
    NativeMemory os = NativeMemory.system();
    int page = os.pageBytes();
    long address = os.reserve(4L * page);
    for (int i = 0; i < 4; i++) {
      AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, address + (long) i * page, (byte) 7);
    }
    PurgeRanges ranges = new PurgeRanges();
    ranges.add(address, page);
    ranges.add(address + 2L * page, page);
    ranges.add(address + page + 1, page);
    ranges.add(address + 3L * page, page);

    assertThatThrownBy(() -> os.purge(ranges)).isInstanceOf(NativeMemoryException.class);

    assertThat(ranges.purged()).isEqualTo(2);
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address)).isZero();
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + page)).isEqualTo((byte) 7);
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + 2L * page)).isZero();
    assertThat(AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + 3L * page))
        .isEqualTo((byte) 7);
    os.release(address, 4L * page);
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void moreThanTheMachineHasIsRefusedWithAdvice(NativeMemory os) {
    assertThatThrownBy(() -> os.reserve(1L << 50))
        .isInstanceOf(ReservationFailedError.class)
        .hasMessageContaining("ower the pool's limit");
  }
}
