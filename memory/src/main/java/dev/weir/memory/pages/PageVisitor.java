package dev.weir.memory.pages;

/**
 * Gets to see the pages of a reservation. Offsets and lengths are in bytes, offsets from the
 * beginning of the region; what is not told of is clean.
 */
public interface PageVisitor {
  /**
   * A region begins.
   *
   * @param name what lies in it
   * @param reservedBytes its addresses
   * @param extentBytes nothing behind it is resident
   * @return whether to visit its pages
   */
  boolean beginRegion(String name, long reservedBytes, long extentBytes);

  /** Pages of runs that are in use. */
  void liveRuns(long from, long to);

  /** Pages that are free but resident, where it is not a range's. */
  void dirty(long from, long to);

  /**
   * A slab in use.
   *
   * @param committed its live pages; the visitor's only during the call
   * @param pageBytes the length of each
   */
  void slab(long from, Span slab, PageSet committed, int pageBytes);

  /**
   * A range of which pages are resident: the live ones at its beginning, the dirty ones behind
   * them.
   */
  void range(long from, long rangeBytes, long liveBytes, long residentBytes);
}
