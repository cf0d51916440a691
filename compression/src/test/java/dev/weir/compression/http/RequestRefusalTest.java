package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequestRefusalTest {
  @Test
  void aRefusalThatIsNotTheClientsFaultHasItsCause() {
    IllegalStateException bug = new IllegalStateException("made to fail");
    assertThat(RequestRefusal.of(bug)).hasCause(bug).hasMessageNotContaining("made");
    OutOfMemoryError refused = new OutOfMemoryError("made to fail");
    assertThat(RequestRefusal.of(refused)).hasCause(refused);
  }
}
