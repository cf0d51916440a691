package dev.weir.streams.compaction;

import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.CommitDraft;
import dev.weir.streams.manifest.CommitLog;
import dev.weir.streams.manifest.ExtentList;
import dev.weir.streams.manifest.PlacedExtent;
import dev.weir.streams.manifest.Replacement;
import dev.weir.streams.manifest.SegmentEntry;
import dev.weir.streams.manifest.SegmentState;
import dev.weir.streams.manifest.StreamManifest;
import dev.weir.streams.objects.ObjectContent.InMemory;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Requests;
import dev.weir.streams.segments.SegmentLayout;
import dev.weir.streams.segments.SegmentReader;
import dev.weir.streams.segments.SegmentReaders;
import dev.weir.streams.segments.SegmentWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Writes the live extents of some segments again, sorted by stream, and commits that they lie
 * there. Flushes may come between its steps: they only add to streams.
 *
 * <pre>
 * step … step      each stores one segment
 * publish          one commit: from now on, readers find the new ones
 * </pre>
 *
 * Each stride is verified as it is read: damage is not copied. For the storage thread.
 */
final class Merge {
  /** Windows of all inputs together. */
  private static final long WINDOWS_BYTES = 64 << 20;

  private static final long MAX_WINDOW_BYTES = 1 << 20;

  private final ObjectStore store;
  private final CommitLog log;
  private final SegmentReaders readers;
  private final long nowMillis;
  private final int generation;
  private final Map<Integer, SegmentCursor> cursors = new HashMap<>();
  private final List<Stretch> stretches = new ArrayList<>();
  private final List<SegmentState> pinned = new ArrayList<>();
  private final MemorySegment buffer;
  private final List<SegmentEntry> outputs = new ArrayList<>();
  private final List<Replacement> replacements = new ArrayList<>();
  private List<PlacedExtent> placed = new ArrayList<>();
  private int nextStretch;
  private long doneInStretch;
  private CommitDraft draft = CommitDraft.compaction(List.of(), List.of());
  private boolean isPrepared;

  /**
   * Extents of one stream that follow each other, all of which lie in inputs.
   *
   * @param from the first, as an index into the stream's extents
   * @param to behind the last
   */
  private record Stretch(StreamManifest stream, int from, int to) {
    long startOffset() {
      return stream.extents().startOffset(from);
    }

    long endOffset() {
      ExtentList extents = stream.extents();
      return to < extents.size() ? extents.startOffset(to) : stream.tailOffset();
    }
  }

  /** Reads the footers of the inputs; blocks. {@link #close} it. */
  Merge(
      ObjectStore store,
      CommitLog log,
      SegmentReaders readers,
      Collection<SegmentFacts> inputs,
      long maxSegmentBytes,
      long nowMillis)
      throws IOException {
    this.store = store;
    this.log = log;
    this.readers = readers;
    this.nowMillis = nowMillis;
    long window =
        Math.clamp(
            WINDOWS_BYTES / inputs.size() / SegmentLayout.STRIDE_BYTES * SegmentLayout.STRIDE_BYTES,
            SegmentLayout.STRIDE_BYTES,
            MAX_WINDOW_BYTES);
    int highest = 0;
    long liveBytes = 0;
    Map<SegmentFacts, SegmentReader> opened = new HashMap<>();
    for (SegmentFacts input : inputs) {
      opened.put(input, readers.get(input.entry().id()));
    }
    for (SegmentFacts input : inputs) {
      SegmentState segment = log.manifests().segments().find(input.entry().id());
      if (segment != null && segment.tryPin()) {
        pinned.add(segment);
        highest = Math.max(highest, input.entry().generation());
        liveBytes += segment.liveBytes();
        SegmentReader reader = Objects.requireNonNull(opened.get(input));
        cursors.put(segment.number(), new SegmentCursor(reader, window));
      }
    }
    this.generation = highest + 1;
    this.buffer = Arena.ofAuto().allocate(Math.clamp(liveBytes, 1, maxSegmentBytes));
    log.manifests().streams().stream()
        .sorted(Comparator.comparingLong(StreamManifest::streamId))
        .forEach(this::addStretches);
  }

  private void addStretches(StreamManifest stream) {
    ExtentList extents = stream.extents();
    int from = 0;
    while (from < extents.size()) {
      int to = from;
      while (to < extents.size() && cursors.containsKey(extents.segment(to))) {
        to++;
      }
      if (to > from) {
        stretches.add(new Stretch(stream, from, to));
      }
      from = to + 1;
    }
  }

  /**
   * Stores the next segment; blocks.
   *
   * @return the bytes written; 0 where there is nothing left to write
   */
  long step() throws IOException {
    if (nextStretch == stretches.size()) {
      return 0;
    }
    SegmentWriter writer = new SegmentWriter(log.session().nextSegment());
    long used = 0;
    while (nextStretch < stretches.size() && used < buffer.byteSize()) {
      used += copySome(writer, used);
    }
    SegmentWriter.Finished segment = writer.finish();
    outputs.add(new SegmentEntry(segment.id(), used, generation, nowMillis));
    Requests.await(store.put(segment.id().key(), segment.content(), PutCondition.always()));
    readers.putWritten(segment);
    return used;
  }

  /** Copies a stretch, or as much of it as there is room for behind {@code used}. */
  private long copySome(SegmentWriter writer, long used) throws IOException {
    Stretch stretch = stretches.get(nextStretch);
    long start = stretch.startOffset() + doneInStretch;
    long length = Math.min(stretch.endOffset() - start, buffer.byteSize() - used);
    MemorySegment target = buffer.asSlice(used, length);
    copy(stretch.stream(), start, target);
    writer.add(stretch.stream().streamId(), start, List.of(new InMemory(target)));
    placed.add(
        new PlacedExtent(
            outputs.size(),
            used,
            start,
            length,
            doneInStretch == 0 && stretch.stream().extents().startsAppend(stretch.from())));
    doneInStretch += length;
    if (start + length == stretch.endOffset()) {
      replacements.add(
          new Replacement(stretch.stream().streamId(), stretch.stream().header().shard(), placed));
      placed = new ArrayList<>();
      doneInStretch = 0;
      nextStretch++;
    }
    return length;
  }

  private void copy(StreamManifest stream, long start, MemorySegment target) throws IOException {
    ExtentList extents = stream.extents();
    long copied = 0;
    int index = extents.indexOf(start);
    while (copied < target.byteSize()) {
      long skipped = start + copied - extents.startOffset(index);
      long step =
          Math.min(
              extents.lengthBytes(index, stream.tailOffset()) - skipped,
              target.byteSize() - copied);
      SegmentCursor cursor = cursors.get(extents.segment(index));
      if (cursor == null) {
        throw new IllegalStateException("a stretch leaves the inputs");
      }
      cursor.read(extents.position(index) + skipped, target.asSlice(copied, step));
      copied += step;
      index++;
    }
  }

  /** Commits what the steps have written; blocks. After an error, try again. */
  Commit publish() throws IOException {
    if (!isPrepared) {
      draft = CommitDraft.compaction(outputs, replacements);
      isPrepared = true;
    }
    return log.append(draft);
  }

  /** Whether a commit may name the outputs. */
  boolean isPublishing() {
    return isPrepared;
  }

  /** Lets go of the inputs. */
  void close() {
    pinned.forEach(SegmentState::unpin);
    pinned.clear();
  }

  /** Deletes what was written, as far as the store lets us; the next start deletes the rest. */
  void abandon() throws IOException {
    Requests.deleteAll(store, outputs.stream().map(output -> output.id().key()).toList());
    outputs.forEach(output -> readers.remove(output.id()));
  }
}
