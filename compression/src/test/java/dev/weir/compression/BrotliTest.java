package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;
import dev.weir.compression.brotli.BrotliCodec;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.context.ContextMemory;
import dev.weir.memory.Block;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
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

  /** To wait for room would be in vain, so a sender is not asked to come again. */
  @Test
  void aWindowThatTheBudgetNeverHasRoomForIsRefusedForGood() {
    byte[] windowOf4Mib = {0x0b, 0};
    Budget small = memory.budget.child("small", 6 << 20);
    try (BrotliCodec limited = new BrotliCodec(new ContextMemory(memory.pool, small));
        Decoder decoder = limited.decoder()) {
      assertThatThrownBy(() -> Streams.decode(decoder, windowOf4Mib, 2, 1000, memory.allocator))
          .isInstanceOf(CorruptInputException.class)
          .hasMessageContaining("a window of 4,194,304 bytes")
          .hasMessageContaining("compression/small' allows 6,291,456");
    }
    small.setLimitBytes(12 << 20);
    Block taken = memory.pool.allocate(8 << 20, small);
    try (BrotliCodec limited = new BrotliCodec(new ContextMemory(memory.pool, small));
        Decoder decoder = limited.decoder()) {
      assertThatThrownBy(() -> Streams.decode(decoder, windowOf4Mib, 2, 1000, memory.allocator))
          .as("room for another time")
          .isInstanceOf(BudgetExceededError.class);
    }
    taken.release();
    small.close();
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
