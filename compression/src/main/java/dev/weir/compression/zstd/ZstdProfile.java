package dev.weir.compression.zstd;

import org.jspecify.annotations.Nullable;

/**
 * What a context for compression is made for. Streams of one profile can follow each other in one
 * context.
 *
 * @param level from {@link #MIN_LEVEL} to {@link #MAX_LEVEL}; the lowest for a {@linkplain
 *     SourceBound#NARROW narrow} window, whatever is given
 * @param source how long streams may be
 * @param dictionary what the receiver knows too; null for nothing
 */
public record ZstdProfile(int level, SourceBound source, @Nullable ZstdDictionary dictionary) {
  /** The fastest. */
  public static final int MIN_LEVEL = 1;

  /**
   * The densest: the last one whose window, 8 MiB, every receiver of HTTP has to support (RFC
   * 9659).
   */
  public static final int MAX_LEVEL = 19;

  /**
   * Checks the level.
   *
   * @throws IllegalArgumentException if it is out of range
   */
  public ZstdProfile {
    requireLevel(level);
    if (source == SourceBound.NARROW) {
      level = MIN_LEVEL;
    }
    if (dictionary != null && source != SourceBound.NARROW) {
      // The length of the dictionary has a say in the library's choice of tables: make room for
      // all.
      source = SourceBound.ANY;
    }
  }

  /** A profile without a dictionary. */
  public ZstdProfile(int level, SourceBound source) {
    this(level, source, null);
  }

  /**
   * Checks a level.
   *
   * @return the level
   * @throws IllegalArgumentException if it is out of range
   */
  public static int requireLevel(int level) {
    if (level < MIN_LEVEL || level > MAX_LEVEL) {
      throw new IllegalArgumentException(
          "zstd level: %d (expected: %d to %d)".formatted(level, MIN_LEVEL, MAX_LEVEL));
    }
    return level;
  }
}
