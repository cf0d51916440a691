package dev.weir.streams.recovery;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.CommitLog;
import dev.weir.streams.manifest.Manifest;
import dev.weir.streams.manifest.ManifestLayout;
import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.manifest.SegmentState;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.Requests;
import dev.weir.streams.segments.SegmentFooter;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.segments.SegmentLayout;
import dev.weir.streams.segments.SegmentReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Looks at everything in a store that no node writes to: the owner, each commit, each manifest, how
 * they fit together, and the checksum of every stride. Changes nothing. One damage does not hide
 * the next. For one thread, which may block.
 */
public final class Doctor {
  private final ObjectStore store;
  private final List<Damage> damages = new ArrayList<>();
  private final Manifests manifests = new Manifests();
  private final Map<SegmentId, List<StreamExtents.Placed>> expected = new TreeMap<>();
  private long checkedBytes;

  private Doctor(ObjectStore store) {
    this.store = store;
  }

  /**
   * What was found.
   *
   * @param streams how many there are, as far as manifests and commits can be read
   * @param segments how many are in use
   * @param checkedBytes bytes of streams whose checksums were compared
   */
  public record Report(int streams, int segments, long checkedBytes, List<Damage> damages) {
    /** Takes a copy of the list. */
    public Report {
      damages = List.copyOf(damages);
    }
  }

  /**
   * Examines a store.
   *
   * @throws IOException where it cannot be read at all
   */
  public static Report examine(ObjectStore store) throws IOException {
    return new Doctor(store).examine();
  }

  private Report examine() throws IOException {
    attempt(() -> Ownership.read(store), "owner");
    Map<Integer, Manifest> found = readManifests();
    applyCommits(found);
    for (var placed : StreamExtents.of(manifests)) {
      expected.computeIfAbsent(placed.segment(), id -> new ArrayList<>()).add(placed);
    }
    for (SegmentState segment : manifests.segments().live()) {
      checkSegment(segment);
    }
    return new Report(
        manifests.streams().size(), manifests.segments().live().size(), checkedBytes, damages);
  }

  private Map<Integer, Manifest> readManifests() throws IOException {
    Map<Integer, Manifest> found = new HashMap<>();
    for (ObjectInfo info : Requests.listAll(store, Shards.PREFIX)) {
      attempt(
          () -> {
            int shard = StoreRecovery.shard(info.key());
            Manifest manifest = ManifestLayout.decode(shard, Requests.readAll(store, info));
            found.put(shard, manifest);
            manifests.load(manifest);
          },
          info.key());
    }
    return found;
  }

  /** Applies commits as far as there is none missing; what is behind a gap is only decoded. */
  private void applyCommits(Map<Integer, Manifest> found) throws IOException {
    NavigableMap<Long, Commit> commits = new TreeMap<>();
    for (ObjectInfo info : Requests.listAll(store, Commit.PREFIX)) {
      attempt(
          () -> {
            long sequence = StoredLog.sequence(info.key());
            commits.put(sequence, CommitLog.read(store, sequence));
          },
          info.key());
    }
    StoredLog log = new StoredLog(commits);
    attempt(() -> log.check(found), Commit.PREFIX);
    long next = log.start();
    for (Commit commit : commits.tailMap(log.start()).values()) {
      if (commit.sequence() != next) {
        return;
      }
      attempt(() -> manifests.apply(commit), Commit.key(commit.sequence()));
      next++;
    }
  }

  private void checkSegment(SegmentState segment) throws IOException {
    SegmentId id = segment.entry().id();
    SegmentFooter footer;
    try {
      footer = SegmentReader.readFooter(store, id);
    } catch (DamagedObjectException damage) {
      report(damage, streamsIn(id, 0, Long.MAX_VALUE));
      return;
    }
    for (StreamExtents.Placed placed : expected.getOrDefault(id, List.of())) {
      if (!placed.isIn(footer)) {
        damages.add(
            new Damage(
                id.key(),
                placed.position(),
                "%s has no bytes of stream %s at byte %d"
                    .formatted(id, placed.path(), placed.position()),
                List.of(placed.path())));
      }
    }
    SegmentReader reader = SegmentReader.of(store, footer);
    for (long position = 0; position < footer.dataBytes(); ) {
      long length = Math.min(SegmentLayout.STRIDE_BYTES, footer.dataBytes() - position);
      try {
        reader.verify(position, length);
        checkedBytes += length;
      } catch (DamagedObjectException damage) {
        report(damage, streamsIn(id, position, length));
      }
      position += length;
    }
  }

  private List<String> streamsIn(SegmentId id, long position, long length) {
    return expected.getOrDefault(id, List.of()).stream()
        .filter(placed -> placed.position() - position < length)
        .filter(placed -> placed.position() + placed.lengthBytes() > position)
        .map(StreamExtents.Placed::path)
        .distinct()
        .toList();
  }

  private interface Step {
    void run() throws IOException;
  }

  private void attempt(Step step, String key) throws IOException {
    try {
      step.run();
    } catch (DamagedObjectException damage) {
      report(damage, List.of());
    } catch (NoSuchObjectException missing) {
      damages.add(new Damage(key, 0, key + " is missing", List.of()));
    }
  }

  private void report(DamagedObjectException damage, List<String> streams) {
    String reason = damage.getMessage();
    damages.add(new Damage(damage.key(), damage.offset(), reason == null ? "" : reason, streams));
  }
}
