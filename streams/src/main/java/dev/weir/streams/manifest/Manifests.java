package dev.weir.streams.manifest;

import dev.weir.streams.layout.DamagedObjectException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All streams as of the newest commit, in memory, and the segments they lie in.
 *
 * <p>One thread, which stores things, calls {@link #load}, {@link #apply} and whatever speaks of
 * folding. Any thread calls {@link #find} and {@link #resolve}: the manifest of a stream never
 * changes, a newer one takes its place.
 */
public final class Manifests {
  /** A range is resolved once more while compactions take its segments away. */
  private static final int MAX_ATTEMPTS = 100;

  private final Shard[] shards = new Shard[Shards.COUNT];
  private final SegmentTable segments = new SegmentTable();
  private final List<SegmentState> dead = new ArrayList<>();
  private long lastSequence;
  private long walPosition;
  private long nextStreamId = 1;

  /** Without streams. */
  public Manifests() {
    for (int shard = 0; shard < shards.length; shard++) {
      shards[shard] = new Shard();
    }
  }

  /** The newest commit applied; 0 before the first. */
  public long lastSequence() {
    return lastSequence;
  }

  /** Up to where the WAL's changes are in here. */
  public long walPosition() {
    return walPosition;
  }

  /** Above the number of every stream so far. */
  public long nextStreamId() {
    return nextStreamId;
  }

  /** The segments in use. */
  public SegmentTable segments() {
    return segments;
  }

  /** A stream; null where there is none with this number in this shard. */
  public @Nullable StreamManifest find(int shard, long streamId) {
    return shards[shard].streams.get(streamId);
  }

  /** All streams of a shard, in no order. */
  public Collection<StreamManifest> streams(int shard) {
    return shards[shard].streams.values();
  }

  /** All streams of all shards. */
  public List<StreamManifest> streams() {
    List<StreamManifest> all = new ArrayList<>();
    for (Shard shard : shards) {
      all.addAll(shard.streams.values());
    }
    return all;
  }

  /**
   * Where a range lies, forks followed to their sources.
   *
   * @return the parts in order; null where the stream, or a source that it needs, is gone
   */
  public @Nullable List<Location> resolve(int shard, long streamId, long from, long to) {
    List<Location> locations = new ArrayList<>();
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      locations.clear();
      StreamManifest stream = find(shard, streamId);
      if (stream == null) {
        return null;
      }
      if (from < 0 || from > to || to > stream.tailOffset()) {
        throw new IllegalArgumentException(
            "stream %s has %d bytes: no range from %d to %d"
                .formatted(stream.header().path(), stream.tailOffset(), from, to));
      }
      if (addLocations(stream, from, to, locations)) {
        return locations.reversed();
      }
    }
    return null;
  }

  /** Adds the parts of a range, the end first; false where something went away meanwhile. */
  private boolean addLocations(StreamManifest reader, long from, long to, List<Location> target) {
    StreamManifest stream = reader;
    long end = to;
    while (stream != null && end > from) {
      ExtentList extents = stream.extents();
      for (int i = extents.indexOf(end - 1); i >= 0 && end > from; i--) {
        SegmentState segment = segments.find(extents.segment(i));
        if (segment == null) {
          return false;
        }
        long start = Math.max(from, extents.startOffset(i));
        long position = extents.position(i) + start - extents.startOffset(i);
        target.add(new Location(segment, position, end - start));
        end = start;
      }
      Fork fork = stream.header().fork();
      stream = fork == null ? null : find(fork.sourceShard(), fork.sourceId());
    }
    return end == from;
  }

  /** Takes a stored manifest in; before the commits behind it. */
  public void load(Manifest manifest) throws DamagedObjectException {
    Shard shard = shards[manifest.shard()];
    shard.noteStored(manifest.sequence());
    List<SegmentState> table = intern(manifest.segments());
    for (Manifest.Entry entry : manifest.streams()) {
      Map<String, Producer> producers = new HashMap<>();
      entry.producers().forEach(producer -> producers.put(producer.id(), producer));
      StreamManifest stream =
          new StreamManifest(
              entry.header(),
              append(ExtentList.EMPTY, entry.extents(), table),
              entry.tailOffset(),
              entry.closed(),
              entry.closedBy(),
              entry.lastSequence(),
              entry.softDeleted(),
              Map.copyOf(producers));
      if (shard.streams.put(stream.streamId(), stream) != null) {
        throw new DamagedObjectException(
            Shards.key(manifest.shard()), 0, "it has stream %d twice".formatted(stream.streamId()));
      }
      nextStreamId = Math.max(nextStreamId, stream.streamId() + 1);
    }
  }

  /**
   * Applies the next commit. Shards whose manifests hold it already stay as they are.
   *
   * @throws DamagedObjectException where it does not fit what is there
   */
  public void apply(Commit commit) throws DamagedObjectException {
    if (lastSequence != 0 && commit.sequence() != lastSequence + 1) {
      throw new IllegalArgumentException(
          "commit %d does not follow %d".formatted(commit.sequence(), lastSequence));
    }
    List<SegmentState> table = intern(commit.segments());
    for (StreamDelta delta : commit.deltas()) {
      if (isNewTo(delta.shard(), commit)) {
        apply(commit, delta, table);
      }
    }
    for (Replacement replacement : commit.replacements()) {
      if (isNewTo(replacement.shard(), commit)) {
        apply(commit, replacement, table);
      }
    }
    lastSequence = commit.sequence();
    walPosition = commit.walPosition();
    nextStreamId = Math.max(nextStreamId, commit.nextStreamId());
    dead.addAll(segments.takeDead());
  }

  private boolean isNewTo(int shard, Commit commit) {
    if (shards[shard].folded >= commit.sequence()) {
      return false;
    }
    shards[shard].noteChange(commit.sequence());
    return true;
  }

  /** The segments that no stream needs any more since the last call; their objects are there. */
  public List<SegmentState> takeDead() {
    List<SegmentState> taken = List.copyOf(dead);
    dead.clear();
    return taken;
  }

  private List<SegmentState> intern(List<SegmentEntry> entries) {
    return entries.stream().map(segments::intern).toList();
  }

  private void apply(Commit commit, StreamDelta delta, List<SegmentState> table)
      throws DamagedObjectException {
    Map<Long, StreamManifest> streams = shards[delta.shard()].streams;
    StreamManifest before = streams.get(delta.streamId());
    StreamHeader created = delta.created();
    if ((before == null) == (created == null)) {
      throw misfit(
          commit, delta.streamId(), created == null ? "which does not exist" : "which exists");
    }
    if (created != null) {
      before =
          new StreamManifest(
              created, ExtentList.EMPTY, created.ownOffset(), false, null, null, false, Map.of());
    }
    StreamManifest known = Objects.requireNonNull(before);
    if (delta.lifecycle() == Lifecycle.REMOVED) {
      streams.remove(delta.streamId());
      drop(known.extents(), 0, known.extents().size(), known.tailOffset());
      return;
    }
    long start = delta.extents().isEmpty() ? known.tailOffset() : firstOffset(delta.extents());
    long end = delta.extents().isEmpty() ? start : delta.extents().getLast().endOffset();
    if (start != known.tailOffset() || end != delta.tailOffset()) {
      throw misfit(
          commit, delta.streamId(), "which has %d bytes then".formatted(known.tailOffset()));
    }
    streams.put(
        delta.streamId(),
        new StreamManifest(
            known.header(),
            append(known.extents(), delta.extents(), table),
            delta.tailOffset(),
            known.closed() || delta.closes(),
            delta.closes() ? delta.closedBy() : known.closedBy(),
            delta.lastSequence() != null ? delta.lastSequence() : known.lastSequence(),
            known.softDeleted() || delta.lifecycle() == Lifecycle.SOFT_DELETED,
            merge(known.producers(), delta.producers())));
  }

  private static long firstOffset(List<PlacedExtent> extents) {
    return extents.getFirst().startOffset();
  }

  private static Map<String, Producer> merge(Map<String, Producer> known, List<Producer> changed) {
    if (changed.isEmpty()) {
      return known;
    }
    Map<String, Producer> merged = new HashMap<>(known);
    changed.forEach(producer -> merged.put(producer.id(), producer));
    return Map.copyOf(merged);
  }

  private static ExtentList append(
      ExtentList known, List<PlacedExtent> added, List<SegmentState> table) {
    if (added.isEmpty()) {
      return known;
    }
    ExtentList.Builder extents = new ExtentList.Builder(known.size() + added.size());
    extents.addAll(known, 0, known.size());
    added.forEach(extent -> add(extent, table, extents));
    return extents.build();
  }

  private static void add(
      PlacedExtent extent, List<SegmentState> table, ExtentList.Builder target) {
    SegmentState segment = table.get(extent.segment());
    segment.add(extent.lengthBytes());
    target.add(extent.startOffset(), segment.number(), extent.position(), extent.startsAppend());
  }

  private void drop(ExtentList extents, int from, int to, long tailOffset) {
    for (int i = from; i < to; i++) {
      segments.drop(extents.segment(i), extents.lengthBytes(i, tailOffset));
    }
  }

  private void apply(Commit commit, Replacement replacement, List<SegmentState> table)
      throws DamagedObjectException {
    Map<Long, StreamManifest> streams = shards[replacement.shard()].streams;
    StreamManifest stream = streams.get(replacement.streamId());
    if (stream == null) {
      return;
    }
    ExtentList known = stream.extents();
    long start = firstOffset(replacement.extents());
    long end = replacement.extents().getLast().endOffset();
    int from = known.indexOf(start);
    int to = end == stream.tailOffset() ? known.size() : known.indexOf(end);
    boolean fits =
        from >= 0
            && known.startOffset(from) == start
            && to > from
            && (to == known.size() || known.startOffset(to) == end);
    if (!fits) {
      throw misfit(commit, replacement.streamId(), "whose extents are others");
    }
    ExtentList.Builder extents =
        new ExtentList.Builder(known.size() + replacement.extents().size());
    extents.addAll(known, 0, from);
    replacement.extents().forEach(extent -> add(extent, table, extents));
    extents.addAll(known, to, known.size());
    drop(known, from, to, stream.tailOffset());
    streams.put(replacement.streamId(), stream.withExtents(extents.build()));
  }

  private static DamagedObjectException misfit(Commit commit, long streamId, String why) {
    return new DamagedObjectException(
        Commit.key(commit.sequence()), 0, "it changes stream %d, %s".formatted(streamId, why));
  }

  /** The commits from here on are not in all manifests yet. */
  long logStart() {
    long start = lastSequence + 1;
    for (Shard shard : shards) {
      start = shard.oldestUnfolded == 0 ? start : Math.min(start, shard.oldestUnfolded);
    }
    return start;
  }

  /** What the stored manifests hold. */
  FoldedCommits folded() {
    long[] folded = new long[Shards.COUNT];
    for (int shard = 0; shard < folded.length; shard++) {
      folded[shard] = shards[shard].folded;
    }
    return FoldedCommits.of(folded);
  }

  /** The shard whose manifest is furthest behind; -1 where none is behind. */
  int furthestBehind() {
    int furthest = -1;
    long oldest = Long.MAX_VALUE;
    for (int shard = 0; shard < shards.length; shard++) {
      long unfolded = shards[shard].oldestUnfolded;
      if (unfolded != 0 && unfolded < oldest) {
        oldest = unfolded;
        furthest = shard;
      }
    }
    return furthest;
  }

  void noteStored(int shard, long sequence) {
    shards[shard].noteStored(sequence);
  }

  /** A shard as its manifest would have it now. */
  public Manifest snapshot(int shard, long epoch) {
    return new SnapshotBuilder(segments)
        .build(shard, lastSequence, epoch, shards[shard].streams.values());
  }

  /**
   * Evaluates the equations between streams and segments; for tests.
   *
   * @throws IllegalStateException where one does not hold
   */
  public void checkInvariants() {
    ManifestInvariants.check(streams(), segments, nextStreamId);
  }
}
