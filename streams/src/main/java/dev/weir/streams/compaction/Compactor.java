package dev.weir.streams.compaction;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.CommitLog;
import dev.weir.streams.manifest.Owner;
import dev.weir.streams.manifest.SegmentState;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.segments.SegmentReaders;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Merges what the policy names, one merge at a time and one segment a call. For the storage thread,
 * which flushes in between.
 */
public final class Compactor {
  private static final System.Logger LOG = System.getLogger(Compactor.class.getName());

  private final ObjectStore store;
  private final CommitLog log;
  private final SegmentReaders readers;
  private final long maxSegmentBytes;
  private final long coarseExtentBytes;
  private final LongSupplier nowMillis;
  private final Set<SegmentId> damaged = new HashSet<>();
  private WriteCount written = new WriteCount(0, 0);
  private @Nullable Merge merge;

  /**
   * Of one store.
   *
   * @param maxSegmentBytes the most data that a merged segment has
   */
  public Compactor(
      ObjectStore store,
      CommitLog log,
      SegmentReaders readers,
      long maxSegmentBytes,
      LongSupplier nowMillis) {
    this.store = store;
    this.log = log;
    this.readers = readers;
    this.maxSegmentBytes = maxSegmentBytes;
    boolean isLocal = store.localFile(Owner.KEY) != null;
    this.coarseExtentBytes = CompactionPolicy.coarseExtentBytes(isLocal);
    this.nowMillis = nowMillis;
  }

  /** Tells of a flush: compaction may write in proportion. */
  public void flushed(long segmentBytes) {
    written = written.plusFlushed(segmentBytes);
  }

  /** What was written since the start. */
  public WriteCount written() {
    return written;
  }

  /** Bytes of streams that lie in stretches so short that they are to be merged. */
  public long debtBytes() {
    return log.manifests().segments().live().stream()
        .map(this::facts)
        .filter(SegmentFacts::isFine)
        .mapToLong(SegmentFacts::liveBytes)
        .sum();
  }

  /**
   * Does a piece of work, of at most one segment; blocks.
   *
   * @return false where there is nothing to do
   * @throws IOException where the store fails: a merge that is not being published is given up
   */
  public boolean step() throws IOException {
    Merge current = merge;
    if (current == null) {
      current = begin();
      merge = current;
    }
    if (current == null) {
      return false;
    }
    try {
      advance(current);
      return true;
    } catch (DamagedObjectException damage) {
      exclude(damage);
      giveUp(current);
      return true;
    } catch (IOException failure) {
      if (!current.isPublishing()) {
        giveUp(current);
      }
      throw failure;
    }
  }

  private @Nullable Merge begin() throws IOException {
    long now = nowMillis.getAsLong();
    List<SegmentFacts> segments =
        log.manifests().segments().live().stream()
            .filter(segment -> !damaged.contains(segment.entry().id()))
            .map(this::facts)
            .toList();
    List<SegmentFacts> inputs = CompactionPolicy.choose(segments, written, now);
    if (inputs.isEmpty()) {
      return null;
    }
    try {
      return new Merge(store, log, readers, inputs, maxSegmentBytes, now);
    } catch (DamagedObjectException damage) {
      exclude(damage);
      return begin();
    }
  }

  private SegmentFacts facts(SegmentState segment) {
    return new SegmentFacts(
        segment.entry(),
        segment.liveBytes(),
        segment.liveBytes() < segment.liveExtents() * coarseExtentBytes);
  }

  private void advance(Merge current) throws IOException {
    long bytes = current.isPublishing() ? 0 : current.step();
    written = written.plusCompacted(bytes);
    if (bytes == 0) {
      current.publish();
      merge = null;
      current.close();
    }
  }

  /** A damaged segment stays as it is: a copy of it may be put back. */
  private void exclude(DamagedObjectException damage) {
    SegmentId id = SegmentId.parse(damage.key()).orElse(null);
    if (id == null || !damaged.add(id)) {
      throw new IllegalStateException("a merge does not fit the streams", damage);
    }
    LOG.log(System.Logger.Level.ERROR, "a segment is left out of compaction", damage);
  }

  private void giveUp(Merge current) {
    merge = null;
    current.close();
    try {
      current.abandon();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "the next start deletes what a merge has written", e);
    }
  }
}
