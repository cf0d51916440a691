package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.stress.Mutations;
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

  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length < 2) {
      return;
    }
    List<ContentCoding> codings = FuzzedCompression.ROOMY.codings();
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
    FuzzedCompression.assertNothingHeld();
  }

  private static boolean isCutOff(byte[] content) {
    return content != null && content.length == MAX_CONTENT_BYTES;
  }

  /** The content, or its beginning if it is long; null if it is refused. */
  private static byte[] decoded(ContentCoding coding, byte[] stream, int piece, int targetBytes) {
    try {
      return FuzzedCompression.decoded(
          coding,
          Mutations.pieces(stream, 0, piece),
          targetBytes,
          MAX_CONTENT_BYTES,
          /* whole= */ true);
    } catch (CorruptInputException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
      return null;
    }
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
