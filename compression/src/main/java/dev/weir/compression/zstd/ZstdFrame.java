package dev.weir.compression.zstd;

import dev.weir.compression.codec.CorruptInputException;
import org.jspecify.annotations.Nullable;

/**
 * The header of a frame (RFC 8878, section 3.1), which tells what memory the frame takes before
 * anybody has to trust it.
 *
 * @param skippableBytes what follows the header and is to be skipped; 0 or more for a skippable
 *     frame, which has nothing else, negative for any other
 * @param windowBytes how far back the frame refers
 * @param contentBytes how long the content is; negative if it is not said
 * @param dictionaryId 0 if none is named
 * @param headerBytes how long the header is
 */
/*
 *   magic (4)  descriptor (1)  window (0 or 1)  dictionary (0, 1, 2, 4)  content size (0, 1, 2, 4, 8)
 *
 *   descriptor:  7 6            5               4        3         2          1 0
 *                content flag   single segment  unused   reserved  checksum   dictionary flag
 */
record ZstdFrame(
    long skippableBytes, long windowBytes, long contentBytes, long dictionaryId, int headerBytes) {
  /** The longest header. */
  static final int MAX_HEADER_BYTES = 18;

  private static final int MAGIC = 0xFD2FB528;
  private static final int SKIPPABLE_MAGIC = 0x184D2A50;
  private static final int SKIPPABLE_MASK = 0xFFFFFFF0;
  private static final int MAGIC_BYTES = 4;
  private static final int SKIPPABLE_HEADER_BYTES = 8;
  private static final int SINGLE_SEGMENT = 0x20;
  private static final int RESERVED = 0x08;
  private static final int MIN_WINDOW_LOG = 10;
  private static final int SHORT_CONTENT_OFFSET = 256;

  /** Where the bytes of a header are. */
  @FunctionalInterface
  interface Bytes {
    /** One of them, from 0 to 255. */
    int at(int index);
  }

  /**
   * Reads a header.
   *
   * @param available how many bytes there are
   * @return null if that is not all of it
   * @throws CorruptInputException if it is none; as soon as that can be told
   */
  static @Nullable ZstdFrame parse(Bytes bytes, int available) {
    if (available < MAGIC_BYTES) {
      requireBeginOfMagic(bytes, available);
      return null;
    }
    int magic = (int) littleEndian(bytes, 0, MAGIC_BYTES);
    if ((magic & SKIPPABLE_MASK) == SKIPPABLE_MAGIC) {
      return available < SKIPPABLE_HEADER_BYTES
          ? null
          : new ZstdFrame(
              littleEndian(bytes, MAGIC_BYTES, Integer.BYTES), 0, -1, 0, SKIPPABLE_HEADER_BYTES);
    }
    if (magic != MAGIC) {
      throw notZstd();
    }
    return available == MAGIC_BYTES ? null : parseDescribed(bytes, available);
  }

  private static @Nullable ZstdFrame parseDescribed(Bytes bytes, int available) {
    int descriptor = bytes.at(MAGIC_BYTES);
    if ((descriptor & RESERVED) != 0) {
      throw new CorruptInputException("zstd: a reserved bit of the frame header is set");
    }
    boolean single = (descriptor & SINGLE_SEGMENT) != 0;
    int dictionaryBytes = (1 << (descriptor & 3)) >> 1;
    int contentFlag = descriptor >> 6;
    int contentBytes = contentFlag == 0 ? (single ? 1 : 0) : 1 << contentFlag;
    int windowAt = MAGIC_BYTES + 1;
    int dictionaryAt = windowAt + (single ? 0 : 1);
    int contentAt = dictionaryAt + dictionaryBytes;
    int end = contentAt + contentBytes;
    if (available < end) {
      return null;
    }
    long content = contentBytes == 0 ? -1 : littleEndian(bytes, contentAt, contentBytes);
    if (contentBytes == 2) {
      content += SHORT_CONTENT_OFFSET;
    } else if (contentBytes == Long.BYTES && content < 0) {
      throw new CorruptInputException("zstd: a content of more than 2^63 bytes is announced");
    }
    return new ZstdFrame(
        /* skippableBytes= */ -1,
        single ? content : window(bytes.at(windowAt)),
        content,
        littleEndian(bytes, dictionaryAt, dictionaryBytes),
        end);
  }

  boolean isSkippable() {
    return skippableBytes >= 0;
  }

  private static long window(int descriptor) {
    long base = 1L << (MIN_WINDOW_LOG + (descriptor >> 3));
    return base + (base >> 3) * (descriptor & 7);
  }

  private static void requireBeginOfMagic(Bytes bytes, int available) {
    boolean frame = true;
    boolean skippable = true;
    for (int i = 0; i < available; i++) {
      int mask = i == 0 ? 0xF0 : 0xFF;
      frame &= bytes.at(i) == (MAGIC >>> (8 * i) & 0xFF);
      skippable &= (bytes.at(i) & mask) == (SKIPPABLE_MAGIC >>> (8 * i) & mask);
    }
    if (!frame && !skippable) {
      throw notZstd();
    }
  }

  private static CorruptInputException notZstd() {
    return new CorruptInputException("zstd: there is no frame where one has to begin");
  }

  private static long littleEndian(Bytes bytes, int from, int count) {
    long value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = value << 8 | bytes.at(from + i);
    }
    return value;
  }
}
