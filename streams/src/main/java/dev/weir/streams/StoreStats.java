package dev.weir.streams;

import java.util.concurrent.atomic.LongAdder;

/** Counters since the store was opened. */
public final class StoreStats {
  final LongAdder journalSyncs = new LongAdder();
  final LongAdder spoolSyncs = new LongAdder();
  final LongAdder appends = new LongAdder();
  final LongAdder appendedBytes = new LongAdder();
  volatile boolean failed;

  StoreStats() {}

  /** Syncs of the journal (one for each batch of appends) and of spooled bodies. */
  public long syncs() {
    return journalSyncs.sum() + spoolSyncs.sum();
  }

  /** Appends acknowledged, first bytes of new streams included. */
  public long appends() {
    return appends.sum();
  }

  public long appendedBytes() {
    return appendedBytes.sum();
  }

  /** Whether the store takes no more changes: see {@link StoreFailedException}. */
  public boolean isFailed() {
    return failed;
  }
}
