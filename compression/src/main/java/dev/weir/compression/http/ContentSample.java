package dev.weir.compression.http;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;

/**
 * A guess at the first bytes of a content: where each value is about as frequent as any other,
 * nothing is to be gained. It finds what is compressed or encrypted already, whatever its type
 * says.
 */
/*
 * The measure is how often two bytes of the sample are the same, Σ n(n − 1) over the values that occur n times each:
 * for noise about 1/256 of all pairs, for base64 1/64, for text 1/20. It takes no logarithms, and no memory of its own.
 */
final class ContentSample {
  /** Enough for the measure: in a sample of noise it is within a tenth of what is expected. */
  private static final int BYTES = 1 << 10;

  private static final int VALUES = 1 << Byte.SIZE;

  /** Up to so many times as many equal pairs as in noise; base64 has four times as many. */
  private static final int TIMES_NOISE = 2;

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
    int start = content.readerIndex();
    for (int at = start; at < start + BYTES; at += Long.BYTES) {
      // Eight at once: a byte of a buffer costs as much to read, bounds and reference count.
      long eight = content.getLong(at);
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        counts[(int) (eight >>> shift) & 0xff]++;
      }
    }
    int equalPairs = 0;
    for (int value = 0; value < VALUES; value++) {
      equalPairs += counts[value] * (counts[value] - 1);
      counts[value] = 0;
    }
    return equalPairs < TIMES_NOISE * (BYTES * (BYTES - 1) / VALUES);
  }
}
