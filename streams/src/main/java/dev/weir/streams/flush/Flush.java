package dev.weir.streams.flush;

import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.CommitDraft;
import dev.weir.streams.manifest.CommitLog;
import dev.weir.streams.manifest.PlacedExtent;
import dev.weir.streams.manifest.SegmentEntry;
import dev.weir.streams.manifest.StreamDelta;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.manifest.StreamManifest;
import dev.weir.streams.objects.ObjectContent.InFile;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Request;
import dev.weir.streams.objects.Requests;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.segments.SegmentReaders;
import dev.weir.streams.segments.SegmentWriter;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores one frozen set of changes: segments first, then one commit.
 *
 * <ol>
 *   <li>The plan cuts the changes into segments.
 *   <li>Segments are stored, a few at a time. Their names are new, so a write that is repeated
 *       changes nothing.
 *   <li>One commit says what lies where. It is there whole or not at all.
 *   <li>Only now is the set flushed: the WAL may be cut up to its position, memory and spool files
 *       given back.
 * </ol>
 *
 * After an error {@link #attempt} may be called again, and goes on with what is missing. A set that
 * is given up leaves segments that no commit names; the next start deletes them.
 *
 * <p>Where a file with bytes is gone, the commit says that they lie in a segment, which is never
 * stored. So reads of them fail as those of any lost segment do, and all else is flushed. For the
 * storage thread.
 */
public final class Flush {
  /** The most data that a segment has: one request each for 64 MiB. */
  public static final long MAX_SEGMENT_BYTES = 64 << 20;

  private static final int MAX_REQUESTS = 4;

  private static final System.Logger LOG = System.getLogger(Flush.class.getName());

  private final ObjectStore store;
  private final CommitLog log;
  private final SegmentReaders readers;
  private final FrozenChanges changes;
  private final long maxSegmentBytes;
  private final LongSupplier nowMillis;
  private final List<SegmentWriter.Finished> finished = new ArrayList<>();
  private final BitSet stored = new BitSet();
  private FlushPlan plan;
  private boolean hasFailed;
  private @Nullable CommitDraft draft;

  /**
   * Prepares a flush; nothing is stored yet.
   *
   * @param maxSegmentBytes at most {@link #MAX_SEGMENT_BYTES}
   */
  public Flush(
      ObjectStore store,
      CommitLog log,
      SegmentReaders readers,
      FrozenChanges changes,
      long maxSegmentBytes,
      LongSupplier nowMillis) {
    this.store = store;
    this.log = log;
    this.readers = readers;
    this.changes = changes;
    this.maxSegmentBytes = maxSegmentBytes;
    this.plan = FlushPlan.of(changes, maxSegmentBytes, part -> false);
    this.nowMillis = nowMillis;
  }

  /**
   * What was flushed.
   *
   * @param segmentBytes written to the store for it, footers included
   */
  public record Result(Commit commit, int segments, long segmentBytes) {
    /** The WAL may be cut up to here, and memory up to here evicted. */
    public long walPosition() {
      return commit.walPosition();
    }
  }

  /**
   * Stores what is missing; blocks.
   *
   * @throws dev.weir.streams.manifest.FencedException where another node has the store
   * @throws IOException where nobody knows whether it was committed, or it was not: try again
   */
  public Result attempt() throws IOException {
    CommitDraft prepared = draft;
    if (prepared == null) {
      prepared = store();
      draft = prepared;
    }
    Commit commit = log.append(prepared);
    finished.forEach(readers::putWritten);
    long bytes = finished.stream().mapToLong(segment -> segment.content().lengthBytes()).sum();
    return new Result(commit, finished.size(), bytes);
  }

  private CommitDraft store() throws IOException {
    if (hasFailed) {
      leaveOutWhatIsLost();
    }
    hasFailed = true;
    prepareSegments();
    storeSegments();
    return prepareCommit();
  }

  private void leaveOutWhatIsLost() {
    FlushPlan left = FlushPlan.of(changes, maxSegmentBytes, new LostParts()::contain);
    if (left.lost().size() == plan.lost().size()) {
      return;
    }
    plan = left;
    finished.clear();
    stored.clear();
    for (FlushPlan.Piece piece : plan.lost()) {
      LOG.log(
          System.Logger.Level.ERROR,
          "stream {0} has lost its bytes from {1} to {2}: {3} is missing or too short; reads of"
              + " them fail, and all else goes on",
          path(piece.change()),
          piece.startOffset(),
          piece.startOffset() + piece.lengthBytes(),
          ((InFile) piece.bytes().getFirst()).file());
    }
  }

  private String path(StreamChange change) {
    StreamHeader created = change.created();
    if (created != null) {
      return created.path();
    }
    StreamManifest known = log.manifests().find(change.shard(), change.streamId());
    return known == null ? "number " + change.streamId() : known.header().path();
  }

  private void prepareSegments() throws IOException {
    while (finished.size() < plan.segments().size()) {
      SegmentWriter writer = new SegmentWriter(log.session().nextSegment());
      for (FlushPlan.Piece piece : plan.segments().get(finished.size())) {
        writer.add(piece.streamId(), piece.startOffset(), piece.bytes());
      }
      finished.add(writer.finish());
    }
  }

  /** A segment that is under way. */
  private record Upload(int index, Request<ObjectInfo> request) {}

  /** Waits for every request, so that memory is the caller's again, and then tells of an error. */
  private void storeSegments() throws IOException {
    Queue<Upload> uploads = new ArrayDeque<>();
    IOException failure = null;
    for (int i = 0; i < finished.size() && failure == null; i++) {
      if (stored.get(i)) {
        continue;
      }
      SegmentWriter.Finished segment = finished.get(i);
      uploads.add(
          new Upload(i, store.put(segment.id().key(), segment.content(), PutCondition.always())));
      if (uploads.size() == MAX_REQUESTS) {
        failure = finishUpload(uploads.remove(), failure);
      }
    }
    while (!uploads.isEmpty()) {
      failure = finishUpload(uploads.remove(), failure);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private @Nullable IOException finishUpload(Upload upload, @Nullable IOException before) {
    try {
      Requests.await(upload.request());
      stored.set(upload.index());
      return before;
    } catch (IOException failure) {
      return before == null ? failure : before;
    }
  }

  private CommitDraft prepareCommit() {
    long now = nowMillis.getAsLong();
    List<SegmentEntry> entries = new ArrayList<>();
    Map<Long, List<PlacedExtent>> extents = new HashMap<>();
    for (SegmentWriter.Finished segment : finished) {
      List<FlushPlan.Piece> pieces = plan.segments().get(entries.size());
      place(segment.id(), pieces, now, entries, extents);
    }
    for (FlushPlan.Piece piece : plan.lost()) {
      place(log.session().nextSegment(), List.of(piece), now, entries, extents);
    }
    List<StreamDelta> deltas =
        changes.changes().stream()
            .map(change -> delta(change, inOrder(extents.get(change.streamId()))))
            .toList();
    return CommitDraft.flush(changes.walPosition(), changes.nextStreamId(), entries, deltas);
  }

  private static void place(
      SegmentId id,
      List<FlushPlan.Piece> pieces,
      long now,
      List<SegmentEntry> entries,
      Map<Long, List<PlacedExtent>> extents) {
    long position = 0;
    for (FlushPlan.Piece piece : pieces) {
      long length = piece.lengthBytes();
      extents
          .computeIfAbsent(piece.streamId(), stream -> new ArrayList<>(1))
          .add(
              new PlacedExtent(
                  entries.size(), position, piece.startOffset(), length, piece.startsAppend()));
      position += length;
    }
    entries.add(new SegmentEntry(id, position, /* generation= */ 0, now));
  }

  /** Those that are lost were added last. */
  private static List<PlacedExtent> inOrder(@Nullable List<PlacedExtent> extents) {
    if (extents == null) {
      return List.of();
    }
    extents.sort(Comparator.comparingLong(PlacedExtent::startOffset));
    return extents;
  }

  private static StreamDelta delta(StreamChange change, List<PlacedExtent> extents) {
    return new StreamDelta(
        change.streamId(),
        change.shard(),
        change.created(),
        extents,
        change.tailOffset(),
        change.closes(),
        change.closedBy(),
        change.lastSequence(),
        change.producers(),
        change.lifecycle());
  }
}
