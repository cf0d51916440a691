package dev.weir.streams.manifest;

/**
 * A segment in use, and by how much. Counts are the storage thread's; pins are anybody's.
 *
 * <pre>
 *        no live extent           tryDelete, no pins
 * LIVE ──────────────────► DEAD ─────────────────────► DELETED
 * </pre>
 */
public final class SegmentState {
  private final int number;
  private final SegmentEntry entry;
  private int liveExtents;
  private long liveBytes;
  private int pins;
  private boolean deleted;

  SegmentState(int number, SegmentEntry entry) {
    this.number = number;
    this.entry = entry;
  }

  /** Its number in this process. */
  public int number() {
    return number;
  }

  /** What is stored of it. */
  public SegmentEntry entry() {
    return entry;
  }

  /** Extents of streams that lie in it, over all shards. */
  public int liveExtents() {
    return liveExtents;
  }

  /** Their bytes. */
  public long liveBytes() {
    return liveBytes;
  }

  void add(long bytes) {
    liveExtents++;
    liveBytes += bytes;
  }

  void drop(long bytes) {
    liveExtents--;
    liveBytes -= bytes;
  }

  /**
   * Keeps the object for a reader, who calls {@link #unpin} once.
   *
   * @return false where it is being deleted: the reader resolves its range once more
   */
  public synchronized boolean tryPin() {
    if (deleted) {
      return false;
    }
    pins++;
    return true;
  }

  /** Ends one {@link #tryPin}. */
  public synchronized void unpin() {
    if (pins == 0) {
      throw new IllegalStateException(entry.id() + " is not pinned");
    }
    pins--;
  }

  /** Keeps new readers away for good; false where there are some. */
  public synchronized boolean tryDelete() {
    if (pins > 0) {
      return false;
    }
    deleted = true;
    return true;
  }
}
