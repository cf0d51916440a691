package dev.weir.compression.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.Texts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is worth compressing by its first bytes. */
class ContentSampleTest {
  private static final int BYTES = 1 << 10;

  private final Random random = new Random(1);

  private byte[] noise(int bytes) {
    byte[] noise = new byte[bytes];
    random.nextBytes(noise);
    return noise;
  }

  private static boolean looksCompressed(byte[] content) {
    ByteBuf buffer = Unpooled.directBuffer().writeZero(3).writeBytes(content).skipBytes(3);
    try {
      boolean answer = ContentSample.looksCompressed(buffer);
      assertThat(buffer.readableBytes()).isEqualTo(content.length);
      return answer;
    } finally {
      buffer.release();
    }
  }

  @Test
  void noiseLooksCompressed() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(looksCompressed(noise(BYTES + i))).isTrue();
    }
    assertThat(looksCompressed(noise(BYTES - 1))).as("too little to tell").isFalse();
  }

  @Test
  void textsDoNot() {
    byte[] text = Texts.json(4 * BYTES, 1);
    byte[] chinese = "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏".repeat(20).getBytes(UTF_8);
    byte[] base64 = Base64.getEncoder().encode(noise(BYTES));
    for (int from = 0; from < 200; from++) {
      assertThat(looksCompressed(Arrays.copyOfRange(text, from, from + BYTES))).isFalse();
    }
    assertThat(looksCompressed(chinese)).isFalse();
    assertThat(looksCompressed(base64)).isFalse();
    assertThat(looksCompressed(new byte[BYTES])).isFalse();
  }

  /** An eighth is won of them by seven bits a byte, though their pairs may say otherwise. */
  @Test
  void sevenBitsAByteAreWorthTheEffort() {
    int fewEqual = 0;
    for (int i = 0; i < 1_000; i++) {
      byte[] sevenBits = noise(BYTES);
      for (int at = 0; at < BYTES; at++) {
        sevenBits[at] &= 0x7f;
      }
      fewEqual += equalPairs(sevenBits) < 2L * BYTES * (BYTES - 1) / 2 / 256 ? 1 : 0;
      assertThat(looksCompressed(sevenBits)).isFalse();
    }
    assertThat(fewEqual).isBetween(100, 900);
  }

  /** Wherever the noise lies, it is what the pairs of the whole sample say. */
  @Test
  void mixturesAreWhatTheyMostlyAre() {
    int compressed = 0;
    byte[] text = Texts.json(BYTES, 2);
    for (int i = 0; i < 2_000; i++) {
      byte[] mixture = text.clone();
      byte[] noise = noise(random.nextInt(BYTES + 1));
      System.arraycopy(noise, 0, mixture, random.nextInt(BYTES - noise.length + 1), noise.length);
      boolean expected = equalPairs(mixture) < 2L * BYTES * (BYTES - 1) / 2 / 256;
      compressed += expected ? 1 : 0;
      assertThat(looksCompressed(mixture))
          .as("%d bytes of noise", noise.length)
          .isEqualTo(expected);
    }
    assertThat(compressed).isBetween(100, 1_900);
  }

  /**
   * The words that are read first are nine apart, and so are these zeros: the whole would count as
   * noise, but is not looked at. A twentieth can be won of it.
   */
  @Test
  void recordsWhoseZerosAreReadFirstCountAsText() {
    byte[] records = noise(BYTES);
    for (int from = 0; from < BYTES; from += 72) {
      Arrays.fill(records, from, Math.min(BYTES, from + 4), (byte) 0);
    }
    assertThat(equalPairs(records)).isLessThan(2L * BYTES * (BYTES - 1) / 2 / 256);
    assertThat(looksCompressed(records)).isFalse();
  }

  private static long equalPairs(byte[] bytes) {
    long pairs = 0;
    for (int i = 0; i < bytes.length; i++) {
      for (int j = i + 1; j < bytes.length; j++) {
        pairs += bytes[i] == bytes[j] ? 1 : 0;
      }
    }
    return pairs;
  }
}
