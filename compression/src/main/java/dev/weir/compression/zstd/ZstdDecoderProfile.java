package dev.weir.compression.zstd;

import org.jspecify.annotations.Nullable;

/**
 * What a context for decompression is made for.
 *
 * @param windowLog frames with a window of at most 2 to this may be decompressed in it
 * @param dictionary what the sender knows too; null for nothing
 */
record ZstdDecoderProfile(int windowLog, @Nullable ZstdDictionary dictionary) {
  /** Smaller ones would save nothing: 64 KiB. */
  private static final int MIN_WINDOW_LOG = 16;

  /** The largest window that a receiver of HTTP has to support, 8 MiB (RFC 9659). */
  static final int MAX_WINDOW_LOG = 23;

  /** The profile for frames of such a window, which is not above the largest. */
  static ZstdDecoderProfile forWindow(long windowBytes, @Nullable ZstdDictionary dictionary) {
    int log = Long.SIZE - Long.numberOfLeadingZeros(Math.max(windowBytes, 1) - 1);
    return new ZstdDecoderProfile(Math.max(log, MIN_WINDOW_LOG), dictionary);
  }

  /** The largest window, in bytes. */
  long windowBytes() {
    return 1L << windowLog;
  }
}
