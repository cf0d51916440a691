package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import dev.weir.memory.Block;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What holds of a coding, whichever it is. */
@Timeout(120)
abstract class StreamContract {
  MemoryUnderTest memory;
  Compression compression;

  abstract ContentCoding coding();

  /** Another implementation's view. */
  abstract byte[] reference(byte[] stream) throws IOException;

  @BeforeEach
  void begin() {
    memory = new MemoryUnderTest();
    compression = Compression.create(memory.pool, memory.budget, CompressionOptions.DEFAULT);
  }

  @AfterEach
  void everythingIsGivenBack() {
    compression.close();
    memory.close();
  }

  byte[] encode(byte[] content, int piece, int target) {
    try (Encoder encoder = compression.tryEncoder(coding(), -1)) {
      return Streams.encode(encoder, content, piece, target, memory.allocator);
    }
  }

  byte[] decode(byte[] stream, int piece, int target) {
    try (Decoder decoder = compression.decoder(coding())) {
      return Streams.decode(decoder, stream, piece, target, memory.allocator);
    }
  }

  @Test
  void whatWasCompressedComesBackHoweverItIsCut() throws IOException {
    for (int bytes : new int[] {0, 1, 1_000, 100_000, 1_000_000}) {
      byte[] content = Texts.json(bytes, bytes);
      for (int target : new int[] {7, 64 << 10}) {
        byte[] stream = encode(content, 1 + bytes / 3, target);
        assertThat(reference(stream)).isEqualTo(content);
        assertThat(decode(stream, 1 + stream.length / 5, target)).isEqualTo(content);
      }
      byte[] stream = encode(content, 1 + bytes, 64 << 10);
      assertThat(decode(stream, 1, 64 << 10)).isEqualTo(content);
    }
    byte[] noise = Texts.noise(300_000, 1);
    assertThat(decode(encode(noise, 50_000, 10_000), 30_000, 10_000)).isEqualTo(noise);
  }

  @Test
  void aContentThatFillsItsTargetsComesToItsEnd() {
    for (int target : new int[] {1_000, 4 << 10, 64 << 10, 1 << 20}) {
      for (int targets : new int[] {1, 2, 3, 16}) {
        byte[] content = Texts.json(targets * target, targets);
        byte[] stream = encode(content, content.length, 64 << 10);
        assertThat(decode(stream, stream.length, target)).isEqualTo(content);
        assertThat(decode(stream, 16 << 10, target)).isEqualTo(content);
      }
    }
  }

  /** So a producer that waits for its channel is asked in time. A block of zstd has 128 KiB. */
  @Test
  void whatIsTakenInSmallPiecesIsNotGivenOutInLargeOnes() {
    byte[] content = Texts.noise(2 << 20, 3);
    int piece = 16 << 10;
    try (Encoder encoder = compression.tryEncoder(coding(), -1)) {
      for (int at = 0; at < content.length; at += piece) {
        byte[] given =
            Streams.step(encoder, content, at, piece, Step.TAKE, 64 << 10, memory.allocator);
        assertThat(given.length).isLessThan((128 << 10) + 2 * piece);
      }
    }
  }

  @Test
  void aFlushLetsTheOtherSideReadAllSoFar() {
    byte[] content = Texts.json(10_000, 4);
    try (Encoder encoder = compression.tryEncoder(coding(), -1);
        Decoder decoder = compression.decoder(coding())) {
      ByteBuf target = memory.allocator.directBuffer(20_000, 20_000);
      for (int part = 0; part < 10; part++) {
        byte[] flushed =
            Streams.step(encoder, content, part * 1000, 1000, Step.FLUSH, 100, memory.allocator);
        ByteBuf source = memory.allocator.directBuffer().writeBytes(flushed);
        assertThat(decoder.decode(source, target)).isTrue();
        assertThat(target.readableBytes()).isEqualTo((part + 1) * 1000);
        source.release();
      }
      assertThatThrownBy(decoder::finish).isInstanceOf(CorruptInputException.class);
      target.release();
    }
  }

  @Test
  void everyTruncationIsFound() {
    byte[] stream = encode(Texts.json(3_000, 7), 3_000, 32 << 10);
    for (int bytes = 1; bytes < stream.length; bytes++) {
      byte[] part = Arrays.copyOf(stream, bytes);
      assertThatThrownBy(() -> decode(part, 100, 10_000)).isInstanceOf(CorruptInputException.class);
    }
  }

  @Test
  void whatFollowsTheEndIsRefused() {
    byte[] stream = encode(Texts.json(1_000, 8), 1_000, 1_000);
    byte[] longer = Arrays.copyOf(stream, stream.length + 3);
    longer[stream.length] = 'x';
    assertThatThrownBy(() -> decode(longer, longer.length, 10_000))
        .isInstanceOf(CorruptInputException.class);
  }

  @Test
  void damageIsFoundOrHarmless() {
    byte[] content = Texts.json(20_000, 9);
    byte[] stream = encode(content, 20_000, 32 << 10);
    SplittableRandom random = new SplittableRandom(10);
    int refused = 0;
    for (int round = 0; round < 1_000; round++) {
      byte[] damaged = stream.clone();
      damaged[random.nextInt(stream.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        decode(damaged, 1 + random.nextInt(stream.length), 1 + random.nextInt(10_000));
      } catch (CorruptInputException found) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(100);
    assertThat(decode(stream, stream.length, 1000)).isEqualTo(content);
  }

  @Test
  void aStreamThatIsBrokenOffGivesBackWhatItHas() {
    try (Encoder encoder = compression.tryEncoder(coding(), -1)) {
      Streams.step(encoder, Texts.json(200_000, 6), 0, 200_000, Step.TAKE, 4096, memory.allocator);
      assertThat(memory.budget.chargedBytes()).isPositive();
    }
    byte[] content = Texts.json(5_000, 5);
    assertThat(decode(encode(content, 1_000, 1_000), 100, 1_000)).isEqualTo(content);
  }

  @Test
  void aFullBudgetMakesNoContext() {
    byte[] stream = encode(Texts.json(1_000, 8), 1_000, 1_000);
    compression.destroyIdle(Long.MAX_VALUE);
    memory.budget.setLimitBytes(64 << 20);
    Block all = memory.pool.allocate(64 << 20, memory.budget);
    assertThat(compression.tryEncoder(coding(), -1)).isNull();
    assertThat(compression.tryRequiredEncoder(coding(), -1)).isNull();
    assertThatThrownBy(() -> decode(stream, stream.length, 1000))
        .isInstanceOf(BudgetExceededError.class);
    all.release();
  }

  @Test
  void whatIsLostIsGivenBackByTheCleaner() {
    lose();
    memory.collectUntilNothingHeld();
  }

  /** Leaves a stream that is being compressed and one that is being decompressed to nobody. */
  private void lose() {
    byte[] stream = encode(Texts.json(100_000, 12), 100_000, 64 << 10);
    compression.destroyIdle(Long.MAX_VALUE);
    Encoder encoder = compression.tryEncoder(coding(), -1);
    Streams.step(encoder, Texts.json(1_000, 11), 0, 1_000, Step.FLUSH, 4096, memory.allocator);
    long charged = memory.budget.chargedBytes();
    Decoder decoder = compression.decoder(coding());
    ByteBuf half = memory.allocator.directBuffer().writeBytes(stream, 0, stream.length / 2);
    ByteBuf target = memory.allocator.directBuffer(1_000, 1_000);
    decoder.decode(half, target);
    half.release();
    target.release();
    assertThat(memory.budget.chargedBytes()).isGreaterThan(charged);
  }
}
