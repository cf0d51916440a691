package dev.weir.compression.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class ZstdChoiceTest {
  @Test
  void whereThereIsNoneEachCallerIsToldWhy() {
    ZstdChoice choice =
        ZstdChoice.between(
            Optional::empty,
            () -> {
              throw new IllegalStateException("no zstd here");
            });
    for (int caller = 0; caller < 3; caller++) {
      assertThatThrownBy(choice::require)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("no zstd here");
    }
  }

  @Test
  void aSystemWithoutALinkerGetsTheOther() {
    ZstdLibrary other = JniZstd.load();
    ZstdChoice choice =
        ZstdChoice.between(
            () -> {
              throw new ExceptionInInitializerError(new UnsupportedOperationException("no linker"));
            },
            () -> other);
    assertThat(choice.require()).isSameAs(other);
  }
}
