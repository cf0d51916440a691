package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.pages.SpanSize;
import org.junit.jupiter.api.Test;

class SizeClassesTest {
  @Test
  void everyRequestGetsTheSmallestSlotThatHoldsIt() {
    for (int bytes = 1; bytes <= SizeClasses.MAX_SLOT_BYTES; bytes++) {
      int sizeClass = SizeClasses.classOf(bytes);
      assertThat(SizeClasses.slotBytes(sizeClass)).isGreaterThanOrEqualTo(bytes);
      if (sizeClass > 0) {
        assertThat(SizeClasses.slotBytes(sizeClass - 1)).isLessThan(bytes);
      }
    }
  }

  @Test
  void classesAscendFromSixteenBytesToTheLargestSlot() {
    assertThat(SizeClasses.slotBytes(0)).isEqualTo(16);
    assertThat(SizeClasses.slotBytes(SizeClasses.COUNT - 1)).isEqualTo(SizeClasses.MAX_SLOT_BYTES);
    for (int sizeClass = 1; sizeClass < SizeClasses.COUNT; sizeClass++) {
      assertThat(SizeClasses.slotBytes(sizeClass))
          .isGreaterThan(SizeClasses.slotBytes(sizeClass - 1));
    }
  }

  @Test
  void slotsAreAlignedToSixteenBytes() {
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      assertThat(SizeClasses.slotBytes(sizeClass) % 16).isZero();
    }
  }

  @Test
  void aRequestAbove128BytesWastesAtMostAnEighth() {
    for (int bytes = 129; bytes <= SizeClasses.MAX_SLOT_BYTES; bytes++) {
      int slotBytes = SizeClasses.slotBytes(SizeClasses.classOf(bytes));
      assertThat(slotBytes - bytes).isLessThanOrEqualTo(bytes / 8);
    }
  }

  @Test
  void theTableInTheContractHolds() {
    assertThat(SizeClasses.slotBytes(7)).isEqualTo(128);
    assertThat(SizeClasses.slotBytes(8)).isEqualTo(144);
    assertThat(SizeClasses.slotBytes(15)).isEqualTo(256);
    assertThat(SizeClasses.slotBytes(16)).isEqualTo(288);
    assertThat(SizeClasses.slotBytes(23)).isEqualTo(512);
    assertThat(SizeClasses.slotBytes(72)).isEqualTo(36_864);
  }

  @Test
  void spansHoldAtLeastEightSlots() {
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      int slotBytes = SizeClasses.slotBytes(sizeClass);
      SpanSize span = SizeClasses.spanSize(sizeClass);
      assertThat(span).isEqualTo(slotBytes <= 4096 ? SpanSize.SMALL : SpanSize.LARGE);
      assertThat(span.bytes() / slotBytes).isGreaterThanOrEqualTo(8);
    }
  }
}
