package dev.weir.lab.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlotNumbersTest {
  private final SlotNumbers slots = new SlotNumbers();

  @Test
  void theLastOneGivenBackIsNext() {
    assertThat(slots.take()).isEqualTo(0);
    assertThat(slots.take()).isEqualTo(1);
    assertThat(slots.take()).isEqualTo(2);
    assertThat(slots.tryGive(0)).isTrue();
    assertThat(slots.tryGive(2)).isTrue();
    assertThat(slots.take()).isEqualTo(2);
    assertThat(slots.take()).isEqualTo(0);
    assertThat(slots.take()).isEqualTo(3);
    assertThat(slots.used()).isEqualTo(4);
  }

  @Test
  void onlyWhatWasTakenCanBeGivenBack() {
    slots.take();
    assertThat(slots.tryGive(0)).isTrue();
    assertThat(slots.tryGive(0)).isFalse();
    assertThat(slots.tryGive(1)).isFalse();
    assertThat(slots.tryGive(-1)).isFalse();
    assertThat(slots.tryGive(1L << 32)).isFalse();
  }
}
