package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;

/**
 * Moves the pages of a range to a longer one, all or none. Both ranges are busy meanwhile: nobody
 * else touches them.
 */
/*
 * Linux moves what one mapping covers, and before 6.17 refuses more. Pages that have been moved are a mapping of their
 * own for as long as the range is there, whoever uses it next; so a range to which pages of shorter ranges have come is
 * cut where those end, and nowhere else. It is moved in such pieces. Since 6.17 a call may move several mappings, but
 * may also fail between two of them; with a mapping a call it cannot.
 */
final class GrowthMove {
  private final NativeMemory os;
  private final GrowthRegion region;

  GrowthMove(NativeMemory os, GrowthRegion region) {
    this.os = os;
    this.region = region;
  }

  /** Whether the pages are in the beginning of {@code to} now; if not, they are where they were. */
  boolean tryMove(GrowthRange from, GrowthRange to) {
    int moved = 0;
    boolean done = false;
    try {
      while (moved <= from.tier && tryMove(moved, from, to)) {
        moved++;
      }
      done = moved > from.tier;
      return done;
    } finally {
      if (!done) {
        while (moved > 0) {
          moved--;
          bringBack(moved, from, to);
        }
      }
    }
  }

  private boolean tryMove(int piece, GrowthRange from, GrowthRange to) {
    long start = startOf(piece);
    return os.tryMove(from.address() + start, to.address() + start, endOf(piece) - start);
  }

  private void bringBack(int piece, GrowthRange from, GrowthRange to) {
    if (tryMove(piece, to, from)) {
      return;
    }
    long start = startOf(piece);
    long end = Math.min(endOf(piece), from.liveBytes);
    if (start < end) {
      os.copy(to.address() + start, from.address() + start, end - start);
    }
    os.purge(to.address() + start, endOf(piece) - start);
  }

  private long startOf(int piece) {
    return piece == 0 ? 0 : region.rangeBytes(piece - 1);
  }

  private long endOf(int piece) {
    return region.rangeBytes(piece);
  }
}
