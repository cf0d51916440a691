package dev.weir.streams.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.stress.Mutations;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The first byte says how the rest, a body, is cut into pieces. The flattener accepts what another
 * reading of RFC 8259 accepts, and finds the same messages.
 */
class JsonFlattenerFuzzTest {
  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] body = Arrays.copyOfRange(input, 1, input.length);
    List<String> expected = JsonText.messages(body, JsonFlattener.MAX_DEPTH);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JsonFlattener flattener = new JsonFlattener();
    try {
      for (byte[] piece : Mutations.pieces(body, 0, 1 + (input[0] & 0x3f))) {
        ByteBuffer buffer = ByteBuffer.wrap(piece);
        flattener.feed(buffer);
        out.write(buffer.array(), buffer.position(), buffer.remaining());
      }
      if (flattener.finish()) {
        out.write(',');
      }
    } catch (ProtocolException e) {
      assertThat(expected).as(e.reason()).isNull();
      return;
    }
    assertThat(expected).as("accepted").isNotNull();
    assertThat(flattener.messages()).isEqualTo(expected.size());
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(withCommas(expected));
    checkCounter(out.toByteArray(), expected);
  }

  private static String withCommas(List<String> messages) {
    StringBuilder all = new StringBuilder();
    messages.forEach(message -> all.append(message).append(','));
    return all.toString();
  }

  /** Every prefix of whole messages is found again by its number. */
  private static void checkCounter(byte[] stored, List<String> messages) {
    int end = 0;
    for (int count = 1; count <= Math.min(messages.size(), 20); count++) {
      end += messages.get(count - 1).getBytes(StandardCharsets.UTF_8).length + 1;
      JsonMessageCounter counter = new JsonMessageCounter(count);
      assertThat(counter.feed(ByteBuffer.wrap(stored))).isTrue();
      assertThat(counter.bytes()).isEqualTo(end);
    }
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
