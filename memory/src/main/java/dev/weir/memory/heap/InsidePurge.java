package dev.weir.memory.heap;

import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageSet;
import java.util.List;

/**
 * Pages inside a slab that its heap has left alone, to be given back by whoever is free to make the
 * system call: not the slab's owner on its event loop, and nobody under a lock.
 */
public final class InsidePurge implements Runnable {
  private final PageHeap pages;
  private final Slab slab;
  private final PageSet free;

  InsidePurge(PageHeap pages, Slab slab, PageSet free) {
    this.pages = pages;
    this.slab = slab;
    this.free = free;
    pages.insidePurges().announce(free);
  }

  /** How much it gives back. */
  public long bytes() {
    return (long) free.size() * pages.pageBytes();
  }

  /** Gives the pages back. Must be called exactly once; any thread, without a lock. */
  @Override
  public void run() {
    try {
      pages.purgeInside(slab, free);
    } finally {
      slab.purgeEnded();
    }
  }

  /** Runs all of them, also if some fail, and throws the first failure. */
  static void runAll(List<InsidePurge> purges) {
    Throwable first = null;
    // Without an iterator, for which the Java heap may have no room: each must be run.
    for (int i = 0; i < purges.size(); i++) {
      try {
        purges.get(i).run();
      } catch (RuntimeException | Error e) {
        // The others are not added to it: a full Java heap, which they all fail of, has no room for
        // that.
        first = first == null ? e : first;
      }
    }
    switch (first) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new AssertionError("nothing else was caught", first);
    }
  }
}
