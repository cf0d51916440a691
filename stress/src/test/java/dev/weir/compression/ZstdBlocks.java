package dev.weir.compression;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Walks the frames of a zstd stream (RFC 8878, 3.1) without decompressing them. */
public final class ZstdBlocks {
  private static final int MAGIC = 0xfd2fb528;
  private static final int SKIPPABLE_MAGIC = 0x184d2a50;
  private static final int COMPRESSED = 2;
  private static final int RLE = 1;

  private ZstdBlocks() {}

  /**
   * Whether there is a compressed block of no bytes. The format has none; libzstd (1.5.7) refuses
   * it where it is given the whole frame at once, and passes over it where the frame comes in
   * pieces.
   */
  public static boolean hasEmptyCompressed(byte[] stream) {
    ByteBuffer left = ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN);
    while (left.remaining() > Integer.BYTES) {
      int magic = left.getInt();
      if ((magic & ~0xf) == SKIPPABLE_MAGIC && left.remaining() >= Integer.BYTES) {
        skip(left, left.getInt() & 0xffff_ffffL);
      } else if (magic != MAGIC) {
        return false;
      } else if (frameHasEmptyCompressed(left)) {
        return true;
      }
    }
    return false;
  }

  private static boolean frameHasEmptyCompressed(ByteBuffer left) {
    int descriptor = left.get();
    boolean singleSegment = (descriptor & 0x20) != 0;
    int sizeFlag = descriptor >> 6 & 3;
    int sizeBytes = sizeFlag == 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag;
    int dictionaryBytes = (1 << (descriptor & 3)) >> 1;
    skip(left, (singleSegment ? 0 : 1) + dictionaryBytes + sizeBytes);
    while (left.remaining() >= 3) {
      int block = left.getShort() & 0xffff | (left.get() & 0xff) << 16;
      int type = block >> 1 & 3;
      int bytes = block >> 3;
      if (type == COMPRESSED && bytes == 0) {
        return true;
      }
      skip(left, type == RLE ? 1 : bytes);
      if ((block & 1) != 0) {
        skip(left, (descriptor & 4) != 0 ? Integer.BYTES : 0);
        return false;
      }
    }
    left.position(left.limit());
    return false;
  }

  private static void skip(ByteBuffer left, long bytes) {
    left.position((int) Math.min(left.position() + bytes, left.limit()));
  }
}
