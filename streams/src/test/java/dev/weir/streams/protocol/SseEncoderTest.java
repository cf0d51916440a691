package dev.weir.streams.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SseEncoderTest {
  private static String event(SseEncoder.Mode mode, String... pieces) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SseEncoder encoder = new SseEncoder(mode, out::write);
    encoder.begin();
    for (String piece : pieces) {
      encoder.data(piece.getBytes(StandardCharsets.UTF_8));
    }
    encoder.end();
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void everyLineEndBeginsALineOfTheEvent() {
    assertThat(event(SseEncoder.Mode.TEXT, "a\nb\r", "\nc\rd\n"))
        .isEqualTo("event: data\ndata:a\ndata:b\ndata:c\ndata:d\ndata:\n\n");
  }

  /** A reader drops one space behind the colon, so one more stands there. */
  @Test
  void aLineThatBeginsWithASpaceKeepsIt() {
    assertThat(event(SseEncoder.Mode.TEXT, " a", " b\n", " c\n  d\n \n", "e"))
        .isEqualTo("event: data\ndata:  a b\ndata:  c\ndata:   d\ndata:  \ndata:e\n\n");
    assertThat(event(SseEncoder.Mode.JSON, "{\n \"a\": 1}"))
        .isEqualTo("event: data\ndata:[{\ndata:  \"a\": 1}]\n\n");
  }
}
