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
 * surely text; only for what may be something else the rest is counted too: to count all takes a fiftieth of what it takes to
 * compress 20 KB.
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

  private ContentSample() {}

  /** Whether a content that begins like this is not worth the effort. Reads at most 1 KiB. */
  static boolean looksCompressed(ByteBuf content) {
    if (content.readableBytes() < BYTES) {
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

  private static int pairsInNoise(int bytes) {
    return bytes * (bytes - 1) / 2 / VALUES;
  }

  /** Counts the bytes of a turn: how many pairs of equal ones they add to those counted before. */
  private static int countEqualPairs(ByteBuf content, int turn, int[] counts) {
    int start = content.readerIndex();
    int pairs = 0;
    for (int first = 0; first < BYTES / Long.BYTES; first += TURNS) {
      // One of these words in each turn, never at the same place: records may be as long as they.
      int word = first + (turn + first / TURNS) % TURNS;
      // Eight at once: a byte of a buffer costs as much to read, bounds and reference count.
      long eight = content.getLong(start + word * Long.BYTES);
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        pairs += counts[(int) (eight >>> shift) & 0xff]++;
      }
    }
    return pairs;
  }
}
