package dev.weir.compression.zstd;

/**
 * What is known of the length of a stream before it begins. The library's own steps: it takes
 * smaller tables and a smaller window for short sources, and a context of one step serves all
 * sources of that length and below.
 */
public enum SourceBound {
  /** At most 16 KiB. */
  KIB_16(16 << 10),
  /** At most 128 KiB. */
  KIB_128(128 << 10),
  /** At most 256 KiB. */
  KIB_256(256 << 10),
  /** Longer, or unknown. */
  ANY(0),
  /**
   * Longer or unknown too, with a window of 32 KiB, which is gzip's, at the lowest level: for when
   * memory is short. A context takes a twelfth of what it takes otherwise at level 3.
   */
  NARROW(0);

  /** The window of {@link #NARROW}: what 2 is raised to. */
  static final int NARROW_WINDOW_LOG = 15;

  private static final SourceBound[] ALL = values();

  private final int bytes;

  SourceBound(int bytes) {
    this.bytes = bytes;
  }

  /** The most that is in the source; 0 if that is not known. */
  int bytes() {
    return bytes;
  }

  /**
   * The step of a source.
   *
   * @param sourceBytes its length; negative if it is not known
   */
  public static SourceBound of(long sourceBytes) {
    if (sourceBytes >= 0) {
      for (SourceBound bound : ALL) {
        if (bound.bytes >= sourceBytes && bound.bytes > 0) {
          return bound;
        }
      }
    }
    return ANY;
  }
}
