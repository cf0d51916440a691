package dev.weir.lab.replay;

/**
 * What was held at one moment of a replay, in bytes.
 *
 * @param progress how much of the trace was behind, from 0 to 1
 * @param liveBytes the sizes of the live blocks, as they were asked for
 * @param pageBytes the OS pages that live blocks touch
 * @param residentBytes by the allocator's own count, or {@link #UNKNOWN}
 * @param rssBytes by the kernel's, or {@link #UNKNOWN}
 * @param inMean whether it is one of those at equal distances, over which means are taken
 */
record Sample(
    double progress,
    long liveBytes,
    long pageBytes,
    long residentBytes,
    long rssBytes,
    boolean inMean) {
  /** A figure that nobody tells, or that was not asked for in this sample. */
  static final long UNKNOWN = -1;

  Sample withRss(long otherRssBytes) {
    return new Sample(progress, liveBytes, pageBytes, residentBytes, otherRssBytes, inMean);
  }

  /** The allocator's own count, or else the kernel's. */
  long heldBytes() {
    return residentBytes != UNKNOWN ? residentBytes : rssBytes;
  }
}
