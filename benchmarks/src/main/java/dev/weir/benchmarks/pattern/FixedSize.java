package dev.weir.benchmarks.pattern;

/** Always the same. */
final class FixedSize extends SizeMix {
  private final int bytes;

  FixedSize(int bytes) {
    this.bytes = bytes;
  }

  @Override
  public int next() {
    return bytes;
  }

  @Override
  public double meanBytes() {
    return bytes;
  }
}
