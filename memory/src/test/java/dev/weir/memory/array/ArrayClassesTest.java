package dev.weir.memory.array;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ArrayClassesTest {
  private static final int HEADER_BYTES = 24;

  @Test
  void everySizeFitsIntoItsSlotAndNotIntoTheNextSmaller() {
    for (int bytes = 0; bytes <= ArrayClasses.MAX_KEPT_BYTES; bytes++) {
      int sizeClass = ArrayClasses.classOf(bytes);
      int slotBytes = ArrayClasses.slotBytes(sizeClass);
      assertThat(slotBytes).isGreaterThanOrEqualTo(bytes).isGreaterThanOrEqualTo(64);
      assertThat(sizeClass).isLessThan(ArrayClasses.COUNT);
      assertThat(sizeClass < ArrayClasses.SLOT_CLASSES)
          .isEqualTo(bytes <= ArrayClasses.MAX_SLOT_BYTES);
      if (bytes > 128) {
        assertThat(slotBytes).isLessThanOrEqualTo(bytes + bytes / 8 + 16);
      }
      assertThat(ArrayClasses.chargedBytes(bytes)).isEqualTo(slotBytes);
    }
    assertThat(ArrayClasses.chargedBytes((1 << 20) + 1)).isEqualTo((1 << 20) + 1);
    assertThat(ArrayClasses.chargedBytes(Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void noArrayOfSlotsIsLongerThan256KiBWithItsHeader() {
    for (int sizeClass = ArrayClasses.classOf(1);
        sizeClass < ArrayClasses.SLOT_CLASSES;
        sizeClass++) {
      for (long present : new long[] {0, 1 << 20, 1 << 30, Long.MAX_VALUE}) {
        long bytes =
            (long) ArrayClasses.slots(sizeClass, present) * ArrayClasses.slotBytes(sizeClass);
        assertThat(bytes + HEADER_BYTES).isBetween(64L << 10, 256L << 10);
      }
    }
  }

  @Test
  void arraysGrowWithWhatThereIsOfTheirClass() {
    int sizeClass = ArrayClasses.classOf(1_024);

    assertThat(ArrayClasses.slots(sizeClass, 0)).isEqualTo(128);
    assertThat(ArrayClasses.slots(sizeClass, 768 << 10)).isEqualTo(192);
    assertThat(ArrayClasses.slots(sizeClass, 64 << 20)).isEqualTo(255);
    assertThat(ArrayClasses.slots(ArrayClasses.classOf(32 << 10), 64 << 20)).isEqualTo(7);
    assertThat(ArrayClasses.slots(ArrayClasses.classOf(64 << 10), 64 << 20)).isEqualTo(1);
  }
}
