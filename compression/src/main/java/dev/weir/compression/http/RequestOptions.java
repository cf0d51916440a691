package dev.weir.compression.http;

/**
 * How much may come of a compressed request.
 *
 * @param maxBytes the longest content; more is answered with {@code 413}. So is what is sent beyond
 *     that length and what a coding adds to it, a 128th and 64 KiB, even if no content comes of it
 * @param maxRatio how many times as long as the compressed content it may be; more is {@code 413}
 * @param freeBytes up to so many bytes of content the ratio does not matter
 * @param chunkBytes the most that one buffer of content holds
 */
public record RequestOptions(long maxBytes, int maxRatio, int freeBytes, int chunkBytes) {
  private static final int MIN_CHUNK_BYTES = 1 << 10;

  /** What headers, names and frames without content may take beside the content. */
  private static final int CODING_BYTES = 64 << 10;

  /** Checks the numbers. */
  public RequestOptions {
    if (maxBytes <= 0 || maxRatio <= 0 || freeBytes < 0) {
      throw new IllegalArgumentException(
          "maxBytes: %d, maxRatio: %d (expected: > 0), freeBytes: %d (expected: >= 0)"
              .formatted(maxBytes, maxRatio, freeBytes));
    }
    if (chunkBytes < MIN_CHUNK_BYTES) {
      throw new IllegalArgumentException(
          "chunkBytes: " + chunkBytes + " (expected: >= " + MIN_CHUNK_BYTES + ')');
    }
  }

  /**
   * Contents up to {@code maxBytes}; from 1 MiB on at most 200 times what was sent, which no text
   * comes near, in buffers of 64 KiB.
   */
  public static RequestOptions upTo(long maxBytes) {
    return new RequestOptions(maxBytes, /* maxRatio= */ 200, 1 << 20, 64 << 10);
  }

  /** The most that is read of a compressed content. */
  public long maxSourceBytes() {
    long added = maxBytes / 128 + CODING_BYTES;
    return maxBytes > Long.MAX_VALUE - added ? Long.MAX_VALUE : maxBytes + added;
  }

  /** The same with another ratio, from so many bytes on. */
  public RequestOptions withRatio(int ratio, int newFreeBytes) {
    return new RequestOptions(maxBytes, ratio, newFreeBytes, chunkBytes);
  }

  /** The same with another length of buffers. */
  public RequestOptions withChunkBytes(int bytes) {
    return new RequestOptions(maxBytes, maxRatio, freeBytes, bytes);
  }
}
