package dev.weir.streams.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.stress.Mutations;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/**
 * The first byte says how the rest, a stream's bytes, is cut into pieces. Whatever they are, a
 * reader of server-sent events sees one event, with these bytes; none if there are no bytes.
 */
class SseEncoderFuzzTest {
  private static final String HEAD = "event: data\n";

  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] data = Arrays.copyOfRange(input, 1, input.length);
    int pieceBytes = 1 + (input[0] & 0x3f);
    String text = new String(data, StandardCharsets.ISO_8859_1);
    assertThat(received(data, pieceBytes, SseEncoder.Mode.TEXT))
        .isEqualTo(text.replace("\r\n", "\n").replace('\r', '\n'));
    assertThat(Base64.getDecoder().decode(received(data, pieceBytes, SseEncoder.Mode.BASE64)))
        .isEqualTo(data);
  }

  /** What a reader makes of the event: its data lines, each less one space, joined. */
  private static String received(byte[] data, int pieceBytes, SseEncoder.Mode mode) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SseEncoder encoder = new SseEncoder(mode, out::write);
    for (byte[] piece : Mutations.pieces(data, 0, pieceBytes)) {
      int mostBytes = out.size() + encoder.maxEncodedBytes(piece);
      encoder.data(piece);
      assertThat(out.size()).isLessThanOrEqualTo(mostBytes);
    }
    assertThat(encoder.heldBytes()).isBetween(0, 3);
    encoder.release();
    encoder.end();
    if (data.length == 0) {
      assertThat(out.size()).isZero();
      return "";
    }
    String event = out.toString(StandardCharsets.ISO_8859_1);
    assertThat(event).startsWith(HEAD).endsWith("\n\n").doesNotContain("\r");
    StringBuilder received = new StringBuilder();
    for (String line : event.substring(HEAD.length(), event.length() - 2).split("\n", -1)) {
      assertThat(line).startsWith("data:");
      int from = line.startsWith("data: ") ? "data: ".length() : "data:".length();
      received.append(line, from, line.length()).append('\n');
    }
    received.setLength(received.length() - 1);
    return received.toString();
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
