package dev.weir.streams.manifest;

import dev.weir.streams.segments.SegmentId;

/**
 * A process that may write to a store, and the names it gives. For one thread.
 *
 * <p>A session begins with a commit of its own. So a request of an earlier process that arrives
 * late finds its place in the log taken, and no two sessions give the same name to a segment.
 */
public final class Session {
  /** 134 million segments: 8 PiB of full ones. */
  private static final int COUNTER_BITS = 27;

  private final int node;
  private final Owner owner;
  private final long claim;
  private long segments;

  /**
   * Begins one.
   *
   * @param claim the sequence of its first commit
   */
  public Session(int node, Owner owner, long claim) {
    this.node = node;
    this.owner = owner;
    this.claim = claim;
  }

  /** Who writes. */
  public Owner owner() {
    return owner;
  }

  /** The place of its first commit. */
  public long claim() {
    return claim;
  }

  /** A name for the next segment. */
  public SegmentId nextSegment() {
    if (segments >>> COUNTER_BITS != 0) {
      throw new IllegalStateException("134 million segments since the start; restart the node");
    }
    return new SegmentId(node, owner.epoch(), claim << COUNTER_BITS | segments++);
  }

  /**
   * Whether an earlier session may have written a segment, which is then whole or never will be.
   */
  public boolean isOlder(SegmentId id) {
    return id.node() == node
        && (id.epoch() < owner.epoch()
            || (id.epoch() == owner.epoch() && id.sequence() >>> COUNTER_BITS < claim));
  }
}
