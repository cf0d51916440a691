package dev.weir.lab.cachefragmentation;

import java.util.SplittableRandom;

/** What a phase of the load writes: sizes between two bounds, evenly over their logarithm. */
enum RecordSizes {
  /** Telemetry. Little is written: each record costs Netty's caches a buffer of its own. */
  TINY(100, 1_000, 0.12),
  /** Events. */
  SMALL(1 << 10, 16 << 10, 0.5),
  /** Batches of events. */
  MEDIUM(16 << 10, 256 << 10, 1),
  /** Documents and images. */
  LARGE(256 << 10, 4 << 20, 1.5),
  /** All of that. */
  MIXED(100, 4 << 20, 1);

  private final int leastBytes;
  private final int mostBytes;
  private final double shareOfCache;

  RecordSizes(int leastBytes, int mostBytes, double shareOfCache) {
    this.leastBytes = leastBytes;
    this.mostBytes = mostBytes;
    this.shareOfCache = shareOfCache;
  }

  /** A size; at most {@code capBytes}, for caches that take no larger record. */
  int next(SplittableRandom random, long capBytes) {
    double ratio = Math.min(mostBytes, capBytes) / (double) leastBytes;
    return (int) (leastBytes * Math.pow(ratio, random.nextDouble()));
  }

  /** How many bytes the phase writes into a cache of that capacity. */
  long phaseBytes(long cacheBytes) {
    return (long) (shareOfCache * cacheBytes);
  }
}
