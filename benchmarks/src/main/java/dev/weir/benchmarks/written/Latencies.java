package dev.weir.benchmarks.written;

/**
 * How often an operation took how long, in buckets whose width is a 32nd of their time. One
 * thread's.
 */
final class Latencies {
  private static final int SUB_BUCKET_BITS = 5;
  private static final int SUB_BUCKETS = 1 << SUB_BUCKET_BITS;

  private final int[] counts = new int[SUB_BUCKETS * (Long.SIZE - SUB_BUCKET_BITS + 1)];
  private long total;

  /** Counts an operation. */
  void add(long nanos) {
    counts[bucket(nanos)]++;
    total++;
  }

  /** The time, to within a 32nd, that the given share of the operations did not exceed. */
  double quantile(double share) {
    long wanted = (long) Math.ceil(share * total);
    long seen = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      seen += counts[bucket];
      if (seen >= wanted && seen > 0) {
        return lowest(bucket);
      }
    }
    return 0;
  }

  private static int bucket(long nanos) {
    int shift = Math.max(0, Long.SIZE - 1 - SUB_BUCKET_BITS - Long.numberOfLeadingZeros(nanos));
    return (shift << SUB_BUCKET_BITS) + (int) (nanos >>> shift);
  }

  private static long lowest(int bucket) {
    int shift = Math.max(0, (bucket >> SUB_BUCKET_BITS) - 1);
    return (long) (bucket - (shift << SUB_BUCKET_BITS)) << shift;
  }
}
