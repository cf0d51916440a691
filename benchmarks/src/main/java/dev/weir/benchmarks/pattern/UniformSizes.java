package dev.weir.benchmarks.pattern;

/** Every size of a range equally often. */
final class UniformSizes extends SizeMix {
  private final int low;
  private final int count;
  private final Xorshift random;

  UniformSizes(int low, int high, long seed) {
    this.low = low;
    this.count = high - low + 1;
    this.random = new Xorshift(seed);
  }

  @Override
  public int next() {
    return low + random.below(count);
  }

  @Override
  public double meanBytes() {
    return low + (count - 1) / 2.0;
  }
}
