package dev.weir.streams.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SseEncoderTest {
  private static String event(SseEncoder.Mode mode, String... pieces) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SseEncoder encoder = new SseEncoder(mode, out::write);
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

  /** Each event of random text that is cut anywhere is text, and all of them are all of it. */
  @ParameterizedTest
  @MethodSource("seeds")
  void noEventEndsWithinACharacter(long seed) {
    Random random = new Random(seed);
    byte[] text = text(random).getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    int position = 0;
    int tail = 0;
    while (tail < text.length) {
      tail = Math.min(text.length, tail + 1 + random.nextInt(6));
      ByteArrayOutputStream event = new ByteArrayOutputStream();
      SseEncoder encoder = new SseEncoder(SseEncoder.Mode.TEXT, event::write);
      int cut = position + random.nextInt(tail - position + 1);
      for (byte[] piece :
          List.of(Arrays.copyOfRange(text, position, cut), Arrays.copyOfRange(text, cut, tail))) {
        int before = event.size();
        int most = encoder.maxEncodedBytes(piece);
        encoder.data(piece);
        assertThat(event.size() - before).as("seed %d", seed).isLessThanOrEqualTo(most);
      }
      encoder.end();
      position = tail - encoder.heldBytes();
      String shown = event.toString(StandardCharsets.UTF_8);
      assertThat(shown.getBytes(StandardCharsets.UTF_8))
          .as("seed %d", seed)
          .isEqualTo(event.toByteArray());
      all.writeBytes(
          shown
              .replace("event: data\ndata:", "")
              .replace("\n\n", "")
              .getBytes(StandardCharsets.UTF_8));
    }
    assertThat(all.toByteArray()).as("seed %d", seed).isEqualTo(text);
  }

  static LongStream seeds() {
    return LongStream.range(0, 100);
  }

  private static String text(Random random) {
    int[] kinds = {'a', 0xFC, 0x20AC, 0x1F600, 0xFFFF, 0x10FFFF};
    return random
        .ints(40, 0, kinds.length)
        .mapToObj(i -> Character.toString(kinds[i]))
        .collect(Collectors.joining());
  }

  @Test
  void whatIsNoBeginningOfACharacterIsNotHeld() {
    for (byte[] bytes :
        List.of(
            new byte[] {(byte) 0x80},
            new byte[] {(byte) 0xC0},
            new byte[] {(byte) 0xFF},
            new byte[] {(byte) 0xC3, (byte) 0xBC, (byte) 0xBC},
            new byte[] {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80})) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      SseEncoder encoder = new SseEncoder(SseEncoder.Mode.TEXT, out::write);
      encoder.data(bytes);
      assertThat(encoder.heldBytes()).isZero();
      assertThat(out.toByteArray()).endsWith(bytes);
    }
  }

  @Test
  void aStreamThatEndsWithinACharacterIsSentToItsEnd() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SseEncoder encoder = new SseEncoder(SseEncoder.Mode.TEXT, out::write);
    encoder.data(new byte[] {(byte) 0xE2, (byte) 0x82});
    encoder.end();
    assertThat(out.size()).isZero();
    assertThat(encoder.heldBytes()).isEqualTo(2);
    encoder.release();
    encoder.end();
    assertThat(out.toByteArray()).contains(0xE2, 0x82).endsWith('\n', '\n');
    assertThat(encoder.heldBytes()).isZero();
  }
}
