package dev.weir.compression.http;

import io.netty.buffer.ByteBuf;

/**
 * A guess at the first bytes of a content: where each value is about as frequent as any other,
 * nothing is to be gained. It finds what is compressed or encrypted already, whatever its type
 * says.
 */
final class ContentSample {
  /** Fewer say too little: even noise has gaps then. */
  private static final int MIN_BYTES = 1 << 10;

  private static final int MAX_BYTES = 4 << 10;

  /**
   * Above so many bits to the byte: noise has 7.81 in a sample of 1 KiB and 7.95 in one of 4 KiB,
   * text below 6, and machine code below 7.
   */
  private static final double LEAST_BITS = 7.6;

  private ContentSample() {}

  /** Whether a content that begins like this is not worth the effort. Reads at most 4 KiB. */
  static boolean looksCompressed(ByteBuf content) {
    int bytes = Math.min(content.readableBytes(), MAX_BYTES);
    if (bytes < MIN_BYTES) {
      return false;
    }
    int[] counts = new int[1 << Byte.SIZE];
    int start = content.readerIndex();
    for (int i = 0; i < bytes; i++) {
      counts[content.getByte(start + i) & 0xff]++;
    }
    double sum = 0;
    for (int count : counts) {
      if (count > 0) {
        sum += count * Math.log(count);
      }
    }
    double bitsPerByte = (Math.log(bytes) - sum / bytes) / Math.log(2);
    return bitsPerByte > LEAST_BITS;
  }
}
