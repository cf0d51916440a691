package dev.weir.memory.guard;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class SharedArenasTest {
  /** As native images have one, which nobody else can refer to. */
  private static final class UnsupportedFeatureError extends Error {
    private static final long serialVersionUID = 1;
  }

  @Test
  void aNativeImageWithoutThemIsToldHowToGetThem() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() ->
            Guard.requireSharedArenas(() -> {
              throw new UnsupportedFeatureError();
            }))
        .withMessageContaining("-H:+SharedArenaSupport");
    assertThatExceptionOfType(StackOverflowError.class)
        .isThrownBy(() ->
            Guard.requireSharedArenas(() -> {
              throw new StackOverflowError();
            }));
  }
}
