package dev.weir.streams.recovery;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.CommitLog;
import dev.weir.streams.manifest.Manifest;
import dev.weir.streams.manifest.ManifestLayout;
import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.manifest.Owner;
import dev.weir.streams.manifest.SegmentState;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.Requests;
import dev.weir.streams.segments.SegmentFooter;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.segments.SegmentLayout;
import dev.weir.streams.segments.SegmentReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Looks at everything in a store that no node writes to: the owner, each commit, each manifest, how
 * they fit together, and the checksum of every stride. Changes nothing. One damage does not hide
 * the next; an object that the store cannot read is one, as long as it answers otherwise. For one
 * thread, which may block.
 */
public final class Doctor {
  /** What is read between two calls of the progress: a few requests. */
  private static final long PIECE_BYTES = 8 << 20;

  private final ObjectStore store;
  private final Progress progress;
  private final List<Damage> damages = new ArrayList<>();
  private final Manifests manifests = new Manifests();
  private final Map<SegmentId, List<StreamExtents.Placed>> expected = new TreeMap<>();
  private String owner = "";
  private long checkedBytes;
  private long passedBytes;
  private long totalBytes;

  private Doctor(ObjectStore store, Progress progress) {
    this.store = store;
    this.progress = progress;
  }

  /** Hears how far an examination is. */
  public interface Progress {
    /** Bytes of segments that were gone through, and those that there are. */
    void at(long passedBytes, long totalBytes);
  }

  /**
   * What was found.
   *
   * @param owner the node that may write: its host and epoch; empty where that cannot be read
   * @param streams how many there are, as far as manifests and commits can be read
   * @param segments how many are in use
   * @param orphans segments that nothing names: a crash left them, or they wait for their deletion
   * @param checkedBytes bytes of streams whose checksums were compared
   */
  public record Report(
      String owner,
      int streams,
      int segments,
      int orphans,
      long checkedBytes,
      List<Damage> damages) {
    /** Takes a copy of the list. */
    public Report {
      damages = List.copyOf(damages);
    }
  }

  /** Whether there is anything of a store here; blocks. */
  public static boolean isStore(ObjectStore store) throws IOException {
    for (String prefix : List.of(Owner.KEY, Commit.PREFIX, Shards.PREFIX, SegmentId.PREFIX)) {
      if (!Requests.await(store.list(prefix, null, 1)).objects().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Examines a store.
   *
   * @throws IOException where it cannot be read at all
   */
  public static Report examine(ObjectStore store) throws IOException {
    return examine(store, (passed, total) -> {});
  }

  /**
   * Examines a store, and says how far it is.
   *
   * @throws IOException where it cannot be read at all
   */
  public static Report examine(ObjectStore store, Progress progress) throws IOException {
    return new Doctor(store, progress).examine();
  }

  private Report examine() throws IOException {
    attempt(this::readOwner, Owner.KEY);
    Map<Integer, Manifest> found = readManifests();
    applyCommits(found);
    for (var placed : StreamExtents.of(manifests)) {
      expected.computeIfAbsent(placed.segment(), id -> new ArrayList<>()).add(placed);
    }
    Collection<SegmentState> live = manifests.segments().live();
    totalBytes = live.stream().mapToLong(segment -> segment.entry().dataBytes()).sum();
    long endOfBefore = 0;
    for (SegmentState segment : live) {
      checkSegment(segment);
      endOfBefore += segment.entry().dataBytes();
      passedBytes = endOfBefore;
      progress.at(passedBytes, totalBytes);
    }
    return new Report(
        owner, manifests.streams().size(), live.size(), orphans(), checkedBytes, damages);
  }

  private void readOwner() throws IOException {
    Owner found = Ownership.read(store);
    owner = "%s, epoch %d".formatted(found.host(), found.epoch());
  }

  private int orphans() throws IOException {
    Set<SegmentId> known = manifests.segments().names();
    int orphans = 0;
    for (ObjectInfo info : Requests.listAll(store, SegmentId.PREFIX)) {
      SegmentId id = SegmentId.parse(info.key()).orElse(null);
      if (id == null) {
        damages.add(
            new Damage(info.key(), 0, info.key() + " is no segment; take it away", List.of()));
      } else if (!known.contains(id)) {
        orphans++;
      }
    }
    return orphans;
  }

  private Map<Integer, Manifest> readManifests() throws IOException {
    Map<Integer, Manifest> found = new HashMap<>();
    for (ObjectInfo info : Requests.listAll(store, Shards.PREFIX)) {
      attempt(
          () -> {
            int shard = StoreRecovery.shard(info.key());
            Manifest manifest = ManifestLayout.decode(shard, Requests.readAll(store, info.key()));
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
    SegmentFooter footer = readFooter(id);
    if (footer == null) {
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
      long length = Math.min(PIECE_BYTES, footer.dataBytes() - position);
      checkPiece(reader, position, length);
      position += length;
      passedBytes += length;
      progress.at(Math.min(passedBytes, totalBytes), totalBytes);
    }
  }

  private @Nullable SegmentFooter readFooter(SegmentId id) throws IOException {
    try {
      return SegmentReader.readFooter(store, id);
    } catch (DamagedObjectException damage) {
      report(damage, streamsIn(id, 0, Long.MAX_VALUE));
    } catch (ObjectStoreException unreadable) {
      reportUnreadable(id.key(), 0, unreadable, streamsIn(id, 0, Long.MAX_VALUE));
    }
    return null;
  }

  /** In a few reads where all is well, else stride by stride. */
  private void checkPiece(SegmentReader reader, long position, long length) throws IOException {
    try {
      reader.verify(position, length);
      checkedBytes += length;
    } catch (DamagedObjectException | ObjectStoreException somewhere) {
      for (long at = position; at < position + length; at += SegmentLayout.STRIDE_BYTES) {
        checkStride(reader, at, Math.min(SegmentLayout.STRIDE_BYTES, position + length - at));
      }
    }
  }

  private void checkStride(SegmentReader reader, long position, long length) throws IOException {
    SegmentId id = reader.footer().id();
    try {
      reader.verify(position, length);
      checkedBytes += length;
    } catch (DamagedObjectException damage) {
      report(damage, streamsIn(id, position, length));
    } catch (ObjectStoreException unreadable) {
      reportUnreadable(id.key(), position, unreadable, streamsIn(id, position, length));
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
    } catch (ObjectStoreException unreadable) {
      reportUnreadable(key, 0, unreadable, List.of());
    }
  }

  /** Throws where it is the store that cannot be read, and not this object alone. */
  private void reportUnreadable(
      String key, long offset, ObjectStoreException reason, List<String> streams)
      throws IOException {
    Requests.await(store.list(Owner.KEY, null, 1));
    damages.add(
        new Damage(
            key, offset, "%s cannot be read: %s".formatted(key, reason.getMessage()), streams));
  }

  private void report(DamagedObjectException damage, List<String> streams) {
    String reason = damage.getMessage();
    damages.add(new Damage(damage.key(), damage.offset(), reason == null ? "" : reason, streams));
  }
}
