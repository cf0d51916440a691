package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequestRefusalTest {
  @Test
  void aRefusalThatIsNotTheClientsFaultHasItsCause() {
    IllegalStateException bug = new IllegalStateException("made to fail");
    assertThat(RequestRefusal.of(bug)).hasCause(bug).hasMessageNotContaining("made");
    OutOfMemoryError refused =
        new OutOfMemoryError("Cannot reserve 1 bytes of direct buffer memory");
    assertThat(RequestRefusal.of(refused)).hasCause(refused);
    assertThat(RequestRefusal.of(refused).status().code()).isEqualTo(503);
    OutOfMemoryError full = new OutOfMemoryError("Java heap space");
    assertThat(RequestRefusal.of(full).status().code()).isEqualTo(500);
  }
}
