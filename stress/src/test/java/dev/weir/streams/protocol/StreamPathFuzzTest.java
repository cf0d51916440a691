package dev.weir.streams.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.stress.Mutations;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A path names a stream or is refused; a name that is accepted can be written as a path again. */
class StreamPathFuzzTest {
  @FuzzTest
  void fuzz(byte[] input) throws ProtocolException {
    String name;
    try {
      name = StreamPath.parse(new String(input, StandardCharsets.ISO_8859_1));
    } catch (ProtocolException e) {
      assertThat(e.status()).isIn(400, 404, 414);
      assertThat(e.reason()).isNotEmpty();
      return;
    }
    assertThat(name.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(1, StreamPath.MAX_BYTES);
    assertThat(List.of(name.split("/", -1))).doesNotContain(".", "..");
    assertThat(name.chars().filter(Character::isISOControl).filter(c -> c < 0x80)).isEmpty();
    assertThat(StreamPath.parse(StreamPath.PREFIX + escaped(name))).isEqualTo(name);
  }

  private static String escaped(String name) {
    StringBuilder escaped = new StringBuilder();
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      escaped.append("%%%02x".formatted(b & 0xff));
    }
    return escaped.toString();
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
