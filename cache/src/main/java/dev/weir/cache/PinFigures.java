package dev.weir.cache;

import java.util.concurrent.atomic.AtomicLong;

/** What readers pin of one cache's memory. Thread-safe; bytes throughout. */
public final class PinFigures {
  private final AtomicLong pinned = new AtomicLong();
  private final AtomicLong orphaned = new AtomicLong();

  /** Nothing is pinned. */
  public PinFigures() {}

  /** Sizes of all blocks that readers have slices of. */
  public long pinnedBytes() {
    return Math.max(0, pinned.get());
  }

  /** Of these, blocks that the cache has let go of: they stay charged until their last slice. */
  public long orphanedBytes() {
    // A release may be counted a moment before the drop that it follows.
    return Math.max(0, orphaned.get());
  }

  void addPinned(long bytes) {
    pinned.addAndGet(bytes);
  }

  void addOrphaned(long bytes) {
    orphaned.addAndGet(bytes);
  }
}
