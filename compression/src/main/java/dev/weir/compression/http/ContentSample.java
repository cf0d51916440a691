package dev.weir.compression.http;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.Arrays;

/**
 * A guess at the first bytes of a content: where each value is about as frequent as any other,
 * nothing is to be gained. It finds what is compressed or encrypted already, whatever its type
 * says.
 */
/*
 * The measure is how often two bytes of the sample are the same: for noise about 1/256 of all pairs, for base64 1/64, for
 * text 1/20. It takes no logarithms, and no memory of its own. An eighth of the sample, taken from all over it, tells what is
 * surely text: bytes of seven bits each, an eighth of which is won at least, or many that are equal. Only for what may be
 * something else the rest is counted too: to count all takes a fiftieth of what it takes to compress 20 KB, to count an
 * eighth half a percent.
 */
final class ContentSample {
  /** Enough for the measure: in a sample of noise it is within a tenth of what is expected. */
  private static final int BYTES = 1 << 10;

  private static final int VALUES = 1 << Byte.SIZE;

  /** The words of the sample are counted in so many turns, each of words from all over it. */
  private static final int TURNS = 8;

  /** Up to so many times as many equal pairs as in noise; base64 has four times as many. */
  private static final int TIMES_NOISE = 2;

  /**
   * From so many times as many on in the first turn, the others are not asked. They could say
   * otherwise of content whose equal bytes lie where the turn reads, as in records of 72 bytes, the
   * distance of its words, that begin with zeros: it counts as text, which costs an effort for
   * little.
   */
  private static final int TIMES_NOISE_OF_TEXT = 8;

  private static final FastThreadLocal<int[]> COUNTS =
      new FastThreadLocal<>() {
        @Override
        protected int[] initialValue() {
          return new int[VALUES];
        }
      };

  private static final long HIGHEST_BITS = 0x8080808080808080L;

  private ContentSample() {}

  /** Whether a content that begins like this is not worth the effort. Reads at most 1 KiB. */
  static boolean looksCompressed(ByteBuf content) {
    if (content.readableBytes() < BYTES || isOfSevenBits(content)) {
      return false;
    }
    int[] counts = COUNTS.get();
    int equalPairs = countEqualPairs(content, /* turn= */ 0, counts);
    boolean isNoise = equalPairs < TIMES_NOISE_OF_TEXT * pairsInNoise(BYTES / TURNS);
    if (isNoise) {
      for (int turn = 1; turn < TURNS; turn++) {
        equalPairs += countEqualPairs(content, turn, counts);
      }
      isNoise = equalPairs < TIMES_NOISE * pairsInNoise(BYTES);
    }
    Arrays.fill(counts, 0);
    return isNoise;
  }

  /** Whether no byte of the first turn has its highest bit set; in noise every other one has. */
  private static boolean isOfSevenBits(ByteBuf content) {
    long bits = 0;
    for (int first = 0; first < BYTES / Long.BYTES; first += TURNS) {
      bits |= word(content, first, /* turn= */ 0);
    }
    return (bits & HIGHEST_BITS) == 0;
  }

  private static int pairsInNoise(int bytes) {
    return bytes * (bytes - 1) / 2 / VALUES;
  }

  /** Counts the bytes of a turn: how many pairs of equal ones they add to those counted before. */
  private static int countEqualPairs(ByteBuf content, int turn, int[] counts) {
    int pairs = 0;
    for (int first = 0; first < BYTES / Long.BYTES; first += TURNS) {
      long eight = word(content, first, turn);
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        pairs += counts[(int) (eight >>> shift) & 0xff]++;
      }
    }
    return pairs;
  }

  /**
   * One of the eight words from the {@code first} on in each turn, never at the same place: records
   * may be as long as they. Eight bytes at once: one of a buffer costs as much to read, bounds and
   * reference count.
   */
  private static long word(ByteBuf content, int first, int turn) {
    int word = first + (turn + first / TURNS) % TURNS;
    return content.getLong(content.readerIndex() + word * Long.BYTES);
  }
}
