package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.codec.Decoder;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.stress.Mutations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The first byte says which coding the rest is taken for, the second into what pieces it is cut.
 * Whatever it is, it is decompressed or refused, the same in pieces as at once, and leaves nothing
 * live.
 */
class DecoderFuzzTest {
  private static final int MAX_CONTENT_BYTES = 1 << 20;
  private static final int TARGET_BYTES = 64 << 10;

  private static final Pool POOL = Pool.create(PoolOptions.withLimit(256 << 20));
  private static final WeirAllocator ALLOCATOR = new WeirAllocator(POOL);
  private static final Budget CONTEXTS = POOL.rootBudget().child("contexts", Budget.UNLIMITED);
  private static final Compression COMPRESSION =
      Compression.create(POOL, CONTEXTS, CompressionOptions.DEFAULT);

  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length < 2) {
      return;
    }
    List<ContentCoding> codings = COMPRESSION.codings();
    ContentCoding coding = codings.get((input[0] & 0xff) % codings.size());
    byte[] stream = Arrays.copyOfRange(input, 2, input.length);
    byte[] atOnce = decoded(coding, stream, Math.max(1, stream.length), TARGET_BYTES);
    int piece = 1 + (input[1] & 0x3f);
    byte[] inPieces = decoded(coding, stream, piece, 1 + 97 * piece);
    // Damage behind what is looked at may be found early or not at all.
    boolean judgedByCut = coding == ContentCoding.ZSTD && ZstdBlocks.hasEmptyCompressed(stream);
    if (!judgedByCut && !isCutOff(atOnce) && !isCutOff(inPieces)) {
      assertThat(Arrays.equals(inPieces, atOnce)).as("the same in pieces as at once").isTrue();
    }
    assertThat(CONTEXTS.chargedBytes()).isEqualTo(COMPRESSION.idleBytes());
    COMPRESSION.destroyIdle(Long.MAX_VALUE);
    assertThat(POOL.liveBlockBytes()).isZero();
  }

  private static boolean isCutOff(byte[] content) {
    return content != null && content.length == MAX_CONTENT_BYTES;
  }

  /** The content, or its beginning if it is long; null if it is refused. */
  private static byte[] decoded(ContentCoding coding, byte[] stream, int piece, int targetBytes) {
    ByteBuf source = ALLOCATOR.directBuffer(piece);
    ByteBuf target = ALLOCATOR.directBuffer(targetBytes, targetBytes);
    ByteBuf content = ALLOCATOR.heapBuffer();
    try (Decoder decoder = COMPRESSION.decoder(coding)) {
      for (byte[] part : Mutations.pieces(stream, 0, piece)) {
        source.clear().writeBytes(part);
        boolean done;
        do {
          done = decoder.decode(source, target);
          content.writeBytes(target);
          target.clear();
          if (content.readableBytes() >= MAX_CONTENT_BYTES) {
            return ByteBufUtil.getBytes(content, 0, MAX_CONTENT_BYTES);
          }
        } while (!done);
      }
      decoder.finish();
      return ByteBufUtil.getBytes(content);
    } catch (CorruptInputException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
      return null;
    } finally {
      source.release();
      target.release();
      content.release();
    }
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
