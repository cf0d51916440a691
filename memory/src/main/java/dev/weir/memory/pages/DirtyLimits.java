package dev.weir.memory.pages;

import dev.weir.memory.purge.PurgePolicy;

/**
 * How much may stay dirty, as a {@link PurgePolicy} has it, and who purges what is beyond: the
 * purger, or whoever finds it. Under the page heap's lock, but for what says otherwise.
 */
final class DirtyLimits {
  /**
   * A purge that takes less than 5 us is not worth calling the purger for: to wake a thread takes
   * as long, and it comes too late. Purges are that quick where nobody has written to the pages.
   */
  static final long QUICK_PURGE_NANOS = 5_000;

  /** How many times what it frees or takes a thread purges at once. */
  private static final int FOR_OTHERS_FACTOR = 4;

  private final PageState state;
  private final ResidentLedger ledger;
  private final PurgePolicy policy;

  /** Whether the last purge took less than calling the purger for it. */
  private boolean purgesAreQuick;

  DirtyLimits(PageState state, ResidentLedger ledger, PurgePolicy policy) {
    this.state = state;
    this.ledger = ledger;
    this.policy = policy;
  }

  private long dirtyCeilingBytes() {
    return policy.dirtyCeilingBytes(
        ledger.liveBytes(),
        ledger.peakLiveBytes(),
        state.largeRunBytes(),
        state.growth().dirtyBytes());
  }

  private long dirtyWakeBytes() {
    return policy.dirtyWakeBytes(
        ledger.liveBytes(),
        ledger.peakLiveBytes(),
        state.largeRunBytes(),
        state.growth().dirtyBytes());
  }

  private long dirtyKeepBytes() {
    return policy.dirtyKeepBytes(
        ledger.liveBytes(),
        ledger.peakLiveBytes(),
        state.largeRunBytes(),
        state.growth().dirtyBytes());
  }

  /** {@link PageHeap#idleInsideBytes}. Needs no lock. */
  long idleInsideBytes() {
    return policy.idleInsideBytes(ledger.liveBytesOpaque());
  }

  /** {@link PageHeap#usefulInsideBytes}. Needs no lock. */
  long usefulInsideBytes() {
    return policy.usefulInsideBytes(ledger.liveBytesOpaque());
  }

  /**
   * Whether the purger is to come. Where purging is quicker than calling it, only for what they
   * leave who purge themselves.
   */
  boolean isHigh() {
    return isDirtyAbove(purgesAreQuick ? dirtyCeilingBytes() : dirtyWakeBytes())
        || (ledger.excessOfPromised(0) > 0 && state.claims().unclaimedDirtyBytes() > 0);
  }

  /** What may stay dirty after {@link #isHigh}: less than before it, and within the limit. */
  long toKeepBytes() {
    return Math.clamp(ledger.limitBytes() - ledger.liveBytes(), 0, dirtyKeepBytes());
  }

  /**
   * Whether more is dirty than may stay so: the purger has fallen behind. Those who take clean
   * pages meanwhile purge dirty ones, which costs them a quarter of what the faults on the clean
   * ones will.
   */
  boolean areOverflowing() {
    return isDirtyAbove(dirtyCeilingBytes());
  }

  /**
   * Whether more is dirty than may stay so now, and more than the purger would keep was so before
   * this many bytes were freed: who frees them purges. One large block alone is left to the purger,
   * since it may be asked for again at once.
   */
  boolean wereOverflownBy(long freedBytes) {
    return isDirtyAbove(Math.max(dirtyCeilingBytes(), dirtyKeepBytes() + freedBytes));
  }

  /**
   * How many bytes somebody purges who has freed or taken so many, and found too many dirty: as
   * many, or up to four times that, as far as the purger would not keep them. A purge of several
   * stretches takes little longer than that of one.
   */
  long toPurgeFor(long bytes) {
    long excess = state.claims().unclaimedDirtyBytes() - dirtyKeepBytes();
    return Math.max(bytes, Math.min(excess, FOR_OTHERS_FACTOR * bytes));
  }

  private boolean isDirtyAbove(long bytes) {
    return state.claims().unclaimedDirtyBytes() > bytes;
  }

  /** Whether who finds too much dirty need not call the purger if he purges himself. */
  boolean arePurgesQuick() {
    return purgesAreQuick;
  }

  /** Tells how long the purge of a batch took. */
  void purgeTook(long nanos) {
    purgesAreQuick = nanos < QUICK_PURGE_NANOS;
  }
}
