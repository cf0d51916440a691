package dev.weir.streams.recovery;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.CommitLog;
import dev.weir.streams.manifest.Manifest;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.Requests;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The commits that are in a store. The newest one says from where on they must all be there, and
 * how far each manifest must have come.
 *
 * @param commits by their places
 */
record StoredLog(NavigableMap<Long, Commit> commits) {
  private static final Pattern KEY = Pattern.compile("log/[0-9a-f]{16}");

  /** Reads all of them; blocks. */
  static StoredLog read(ObjectStore store) throws IOException {
    NavigableMap<Long, Commit> commits = new TreeMap<>();
    for (ObjectInfo info : Requests.listAll(store, Commit.PREFIX)) {
      long sequence = sequence(info.key());
      commits.put(sequence, CommitLog.read(store, sequence));
    }
    return new StoredLog(commits);
  }

  /** The place of a commit, by its key. */
  static long sequence(String key) throws DamagedObjectException {
    if (!KEY.matcher(key).matches()) {
      throw new DamagedObjectException(key, 0, "no commit has this name; take it away");
    }
    return Long.parseUnsignedLong(key.substring(Commit.PREFIX.length()), 16);
  }

  private @Nullable Commit newest() {
    return commits.isEmpty() ? null : commits.lastEntry().getValue();
  }

  /** From here on, commits are not in all manifests. */
  long start() {
    Commit newest = newest();
    return newest == null ? 1 : newest.logStart();
  }

  /**
   * Throws where a commit or manifest is missing, or older than the newest commit says.
   *
   * @param manifests by shard
   */
  void check(Map<Integer, Manifest> manifests) throws DamagedObjectException {
    Commit newest = newest();
    long last = newest == null ? 0 : newest.sequence();
    for (long sequence = start(); sequence <= last; sequence++) {
      if (!commits.containsKey(sequence)) {
        throw new DamagedObjectException(Commit.key(sequence), 0, "it is missing; restore it");
      }
    }
    for (int shard = 0; shard < Shards.COUNT; shard++) {
      long needed = newest == null ? -1 : newest.folded().of(shard);
      Manifest manifest = manifests.get(shard);
      long held = manifest == null ? -1 : manifest.sequence();
      if (held < needed) {
        throw new DamagedObjectException(
            Shards.key(shard),
            0,
            (manifest == null ? "it is missing" : "it is an old copy, of commit " + held)
                + "; restore the one of commit %d or later".formatted(needed));
      }
      if (held > last) {
        throw new DamagedObjectException(
            Commit.key(held), 0, "it is missing; %s has it".formatted(Shards.key(shard)));
      }
    }
  }
}
