package dev.weir.memory.pages;

/**
 * Addresses for one block that grows: the block lies at their beginning, and pages behind it become
 * live as it grows. Those of earlier blocks that were longer may still be dirty.
 *
 * <pre>
 *   0           live            resident             rangeBytes
 *   |  in use    |  dirty        |  clean                |
 * </pre>
 *
 * <p>All fields but the place belong to the page heap's lock.
 */
public final class GrowthRange {
  final int tier;
  private final long address;
  private final long rangeBytes;

  /** What is in use; 0 while the range is free. */
  long liveBytes;

  /** Nothing behind it is resident. */
  long residentBytes;

  /** Of what is in use: what small promises have paid for. */
  long smallPromiseBytes;

  /** A thread purges or moves pages of it, without the lock. */
  boolean busy;

  /** Closed since the last {@link GrowthRegion#age}. */
  boolean young;

  /** Among the free ranges of its tier. */
  final GrowthRangeList.Place amongFree = new GrowthRangeList.Place(this);

  /** Among the ranges with dirty pages. */
  final GrowthRangeList.Place amongDirty = new GrowthRangeList.Place(this);

  GrowthRange(int tier, long address, long rangeBytes) {
    this.tier = tier;
    this.address = address;
    this.rangeBytes = rangeBytes;
  }

  /** Where it begins. */
  public long address() {
    return address;
  }

  /** The longest that a block in it can become. */
  public long rangeBytes() {
    return rangeBytes;
  }

  long dirtyBytes() {
    return residentBytes - liveBytes;
  }
}
