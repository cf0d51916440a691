package dev.weir.compression;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import dev.weir.compression.brotli.BrotliCodec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;

/** Skipped where brotli4j has no library on the test path: all platforms but Linux on x86-64. */
class BrotliTest extends StreamContract {
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
}
