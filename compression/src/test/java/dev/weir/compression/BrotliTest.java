package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;
import dev.weir.compression.brotli.BrotliCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Skipped where brotli4j has no library on the test path: all platforms but Linux on x86-64. */
class BrotliTest extends StreamContract {
  private static final int QUALITY = CompressionOptions.DEFAULT.brotliQuality();
  private static final int WINDOW_LOG = 18;

  @BeforeAll
  static void thereIsOneForThisPlatform() {
    assumeTrue(BrotliCodec.isAvailable(), "brotli4j's library for Linux on x86-64 only");
  }

  @Override
  ContentCoding coding() {
    return ContentCoding.BROTLI;
  }

  @Override
  byte[] reference(byte[] stream) throws IOException {
    try (BrotliInputStream in = new BrotliInputStream(new ByteArrayInputStream(stream))) {
      return in.readAllBytes();
    }
  }

  /** Which gives out its output when it likes, half a MiB at once. */
  @Test
  void jsonBecomesHardlyLongerThanByTheLibraryAlone() throws IOException {
    byte[] content = Texts.json(2 << 20, 5);
    ByteArrayOutputStream alone = new ByteArrayOutputStream();
    try (BrotliOutputStream out =
        new BrotliOutputStream(
            alone, new Encoder.Parameters().setQuality(QUALITY).setWindow(WINDOW_LOG))) {
      out.write(content);
    }
    assertThat((double) encode(content, 16 << 10, 64 << 10).length / alone.size()).isLessThan(1.02);
  }
}
