package dev.weir.compression.zstd;

/**
 * What contexts of zstd-jni are charged: the library does not tell what they take. The figures are
 * what {@code ZSTD_estimateCStreamSize} and its kin say in zstd 1.5, with an eighth on top for what
 * may change from version to version; a test compares them with the system's library.
 */
final class JniZstdSizes {
  private static final int SHARE_ON_TOP_SHIFT = 3;
  private static final int KIB_SHIFT = 10;

  /** KiB of a context that compresses, by level from 1 on, and by {@link SourceBound} to ANY. */
  private static final int[][] ENCODER_KIB = {
    {261, 921, 1081, 1337},
    {261, 1017, 1145, 2041},
    {325, 1273, 1529, 3577},
    {325, 1913, 1913, 4857},
    {325, 1913, 2553, 5881},
    {325, 1913, 4089, 5881},
    {325, 1913, 4089, 8953},
    {325, 1913, 4089, 8953},
    {325, 1913, 4089, 17145},
    {325, 1913, 4089, 29433},
    {471, 1913, 4089, 29433},
    {549, 2425, 5113, 54009},
    {549, 2571, 5113, 54009},
    {613, 3200, 5113, 54009},
    {613, 3200, 5113, 70393},
    {613, 3200, 5888, 70393},
    {613, 3200, 5888, 70393},
    {613, 3200, 5888, 70393},
    {613, 3200, 5888, 91648},
  };

  private static final int NARROW_KIB = 305;

  /** The most KiB that the tables of a dictionary take, by level from 1 on. */
  private static final int[] DICTIONARY_KIB = {
    207, 399, 783, 2063, 4111, 4111, 8207, 8207, 16399, 32783, 32783, 65551, 32783, 49167, 65551,
    32783, 49167, 49167, 81935
  };

  /** Of a small one: this, and so many bytes for each of its own, up to a power of two. */
  private static final long DICTIONARY_BYTES = 15 << 10;

  private static final long DICTIONARY_BYTES_A_BYTE = 32;

  /** What the library takes to be compressed with a dictionary where it knows no length. */
  private static final int SOURCE_BYTES = 513;

  /** A context that decompresses, but for its window: tables, and a block in and out. */
  private static final long DECODER_BYTES = 480 << 10;

  /** The tables of a dictionary for decompression. */
  private static final long DECODER_DICTIONARY_BYTES = 32 << 10;

  private JniZstdSizes() {}

  static long encoderBytes(ZstdProfile profile) {
    int index = profile.level() - ZstdProfile.MIN_LEVEL;
    int[] row = ENCODER_KIB[index];
    long kib =
        switch (profile.source()) {
          case KIB_16 -> row[0];
          case KIB_128 -> row[1];
          case KIB_256 -> row[2];
          case ANY -> row[3];
          case NARROW -> NARROW_KIB;
        };
    ZstdDictionary dictionary = profile.dictionary();
    // The context keeps a copy, and the tables another.
    long dictionaryBytes =
        dictionary == null ? 0 : 2L * dictionary.bytes() + tableBytes(dictionary.bytes(), index);
    return withShareOnTop((kib << KIB_SHIFT) + dictionaryBytes);
  }

  static long decoderBytes(ZstdDecoderProfile profile) {
    ZstdDictionary dictionary = profile.dictionary();
    long dictionaryBytes =
        dictionary == null ? 0 : 2L * dictionary.bytes() + DECODER_DICTIONARY_BYTES;
    return withShareOnTop(DECODER_BYTES + profile.windowBytes() + dictionaryBytes);
  }

  private static long tableBytes(int dictionaryBytes, int index) {
    long power = Long.highestOneBit(dictionaryBytes + SOURCE_BYTES - 1) << 1;
    return Math.min(
        DICTIONARY_BYTES + DICTIONARY_BYTES_A_BYTE * power,
        (long) DICTIONARY_KIB[index] << KIB_SHIFT);
  }

  private static long withShareOnTop(long bytes) {
    return bytes + (bytes >> SHARE_ON_TOP_SHIFT);
  }
}
