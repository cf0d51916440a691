package dev.weir.memory.view;

import org.jspecify.annotations.Nullable;

/**
 * Which part of a reservation a {@link PageMap} shows, and how finely.
 *
 * @param region the name of the only region to show; null for all of them
 * @param fromBytes the first byte to show, from the beginning of the region
 * @param toBytes where to end; what lies behind the last page in use is not shown in any case
 * @param maxCells the most cells that a region is divided into
 */
public record MapWindow(@Nullable String region, long fromBytes, long toBytes, int maxCells) {
  /** The finest map: some megabyte for each region. */
  public static final int MAX_CELLS = 1 << 16;

  /** No pages at all. */
  public static final MapWindow NOTHING = new MapWindow("", 0, 1, 1);

  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException if a bound is negative, the range is empty, or {@code
   *     maxCells} is not in 1 to {@link #MAX_CELLS}
   */
  public MapWindow {
    if (fromBytes < 0 || fromBytes >= toBytes) {
      throw new IllegalArgumentException(
          "from %d to %d is no range of bytes".formatted(fromBytes, toBytes));
    }
    if (maxCells < 1 || maxCells > MAX_CELLS) {
      throw new IllegalArgumentException(
          "%d cells: must be in 1..%d".formatted(maxCells, MAX_CELLS));
    }
  }

  /** Everything that is in use. */
  public static MapWindow everything(int maxCells) {
    return new MapWindow(null, 0, Long.MAX_VALUE, maxCells);
  }

  boolean shows(String name) {
    return region == null || region.equals(name);
  }
}
