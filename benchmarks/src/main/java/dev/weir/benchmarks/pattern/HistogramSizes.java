package dev.weir.benchmarks.pattern;

/**
 * Sizes as often as a histogram counts them. A table holds equally likely sizes, small enough that
 * reading it does not disturb the caches much.
 */
final class HistogramSizes extends SizeMix {
  private static final int TABLE_LENGTH = 4096;

  private final int[] table;
  private final double meanBytes;
  private final Xorshift random;

  HistogramSizes(SizeHistogram histogram, long seed) {
    table = new int[TABLE_LENGTH];
    for (int i = 0; i < TABLE_LENGTH; i++) {
      table[i] = histogram.quantile((i + 0.5) / TABLE_LENGTH);
    }
    meanBytes = histogram.meanBytes();
    random = new Xorshift(seed);
  }

  @Override
  public int next() {
    return table[random.below(TABLE_LENGTH)];
  }

  @Override
  public double meanBytes() {
    return meanBytes;
  }
}
