package dev.weir.streams;

import dev.weir.streams.objects.CountedStore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** Counters since the store was opened. */
public final class StoreStats {
  final LongAdder journalSyncs = new LongAdder();
  final LongAdder spoolSyncs = new LongAdder();
  final LongAdder appends = new LongAdder();
  final LongAdder appendedBytes = new LongAdder();
  volatile boolean failed;
  volatile Figures figures = Figures.NONE;

  StoreStats() {}

  /** What other parts of the store say when they are asked. */
  record Figures(
      LongSupplier walBytes,
      LongSupplier unflushedBytes,
      LongSupplier unflushedNanos,
      LongSupplier flushes,
      LongSupplier flushedSegmentBytes,
      LongSupplier compactedBytes,
      LongSupplier compactionDebtBytes,
      LongSupplier scrubNanos,
      LongSupplier damages,
      ToLongFunction<CountedStore.Kind> requests) {
    static final Figures NONE =
        new Figures(
            () -> 0, () -> 0, () -> 0, () -> 0, () -> 0, () -> 0, () -> 0, () -> 0, () -> 0,
            kind -> 0);
  }

  /** Syncs of the WAL (one for each batch of appends) and of spooled bodies. */
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

  /** What the files of the WAL take. */
  public long walBytes() {
    return figures.walBytes().getAsLong();
  }

  /** Bytes of streams that were acknowledged and are not flushed: a lost disk would cost them. */
  public long unflushedBytes() {
    return figures.unflushedBytes().getAsLong();
  }

  /** For how long the oldest change waits to be flushed; 0 without any. */
  public double unflushedSeconds() {
    return figures.unflushedNanos().getAsLong() / 1e9;
  }

  /** Flushes that are through. */
  public long flushes() {
    return figures.flushes().getAsLong();
  }

  /** Bytes of segments that flushes have written. */
  public long flushedSegmentBytes() {
    return figures.flushedSegmentBytes().getAsLong();
  }

  /** Bytes of streams in stretches that compaction is to write again, as of a moment ago. */
  public long compactionDebtBytes() {
    return figures.compactionDebtBytes().getAsLong();
  }

  /** For how long everything has not been verified: since the last scrub, or the start. */
  public double scrubAgeSeconds() {
    return figures.scrubNanos().getAsLong() / 1e9;
  }

  /** Damaged segments that scrubs have found since the start. */
  public long damagedSegments() {
    return figures.damages().getAsLong();
  }

  /** Requests to the object store. */
  public long requests(CountedStore.Kind kind) {
    return figures.requests().applyAsLong(kind);
  }

  /** Bytes of segments that compaction has written. */
  public long compactedBytes() {
    return figures.compactedBytes().getAsLong();
  }
}
