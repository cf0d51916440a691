package dev.weir.memory.view;

import java.util.List;

/**
 * The pages of a reservation, region by region, each divided into equal cells.
 *
 * @param regions those in the window that have ever been used
 */
public record PageMap(List<Region> regions) {
  /**
   * Cells of one region. What a cell has beyond live and dirty bytes is clean: addresses without
   * memory.
   */
  public static final class Region {
    private final String name;
    private final long reservedBytes;
    private final long extentBytes;
    private final long fromBytes;
    private final long cellBytes;
    private final long[] live;
    private final long[] dirty;
    private final long[] used;

    Region(
        String name,
        long reservedBytes,
        long extentBytes,
        long fromBytes,
        long cellBytes,
        int cells) {
      this.name = name;
      this.reservedBytes = reservedBytes;
      this.extentBytes = extentBytes;
      this.fromBytes = fromBytes;
      this.cellBytes = cellBytes;
      this.live = new long[cells];
      this.dirty = new long[cells];
      this.used = new long[cells];
    }

    /** What lies in it: slabs, runs, or ranges of one length. */
    public String name() {
      return name;
    }

    /** Its addresses. */
    public long reservedBytes() {
      return reservedBytes;
    }

    /** Nothing behind it has memory. */
    public long extentBytes() {
      return extentBytes;
    }

    /** Where the first cell begins, in bytes from the beginning of the region. */
    public long fromBytes() {
      return fromBytes;
    }

    /** The length of a cell: a page times a power of two. The last may reach beyond the extent. */
    public long cellBytes() {
      return cellBytes;
    }

    /** How many cells there are. */
    public int cells() {
      return live.length;
    }

    /** Bytes of a cell whose pages are in use. */
    public long liveBytes(int cell) {
      return live[cell];
    }

    /** Bytes of a cell whose pages are free but resident. */
    public long dirtyBytes(int cell) {
      return dirty[cell];
    }

    /** The part of the live bytes that blocks take; in slabs, as it is in the slab on average. */
    public long blockBytes(int cell) {
      return used[cell];
    }

    void addLive(long from, long to, double occupancy) {
      add(live, from, to, used, occupancy);
    }

    void addDirty(long from, long to) {
      add(dirty, from, to, used, 0);
    }

    /** Adds a range to sums, and a share of it to others. */
    private void add(long[] sums, long from, long to, long[] shares, double share) {
      long end = Math.min(to, fromBytes + sums.length * cellBytes);
      long start = Math.max(from, fromBytes);
      while (start < end) {
        int cell = (int) ((start - fromBytes) / cellBytes);
        long stop = Math.min(end, fromBytes + (cell + 1L) * cellBytes);
        sums[cell] += stop - start;
        shares[cell] += Math.round((stop - start) * share);
        start = stop;
      }
    }
  }
}
