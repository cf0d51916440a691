package dev.weir.streams.recovery;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.CommitLog;
import dev.weir.streams.manifest.FencedException;
import dev.weir.streams.manifest.Manifest;
import dev.weir.streams.manifest.ManifestLayout;
import dev.weir.streams.manifest.ManifestWriter;
import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.manifest.Owner;
import dev.weir.streams.manifest.Session;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.manifest.StoredCommits;
import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.Requests;
import dev.weir.streams.segments.SegmentId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Brings a process to the newest commit of a store, ready to go on.
 *
 * <ol>
 *   <li>Ownership: the store is ours from now on.
 *   <li>Manifests, and the commits that are not in all of them.
 *   <li>A commit of our own. Where another has come to its place meanwhile, it is applied, and the
 *       next place is tried.
 *   <li>The caller applies what the WAL has behind {@link Manifests#walPosition}.
 *   <li>{@link #deleteOrphans}, last: segments that no commit names.
 * </ol>
 *
 * A commit or manifest that should be there and is not is damage: see {@link StoredLog}.
 */
public final class StoreRecovery {
  /** A former owner may fold and delete commits while we read, until it hears of us. */
  private static final int MAX_LOADS = 3;

  private static final int MAX_CLAIMS = 1_000;

  private StoreRecovery() {}

  /** What a process goes on with. */
  public record Recovered(
      Session session, Manifests manifests, CommitLog log, ManifestWriter manifestWriter) {}

  /**
   * Opens a store; blocks.
   *
   * @throws OwnedByAnotherException where it is another node's
   * @throws FencedException where another node takes it at the same time
   * @throws DamagedObjectException names what cannot be used
   */
  public static Recovered open(ObjectStore store, Ownership.Claim claim) throws IOException {
    Owner owner = Ownership.acquire(store, claim);
    Loaded loaded = load(store);
    Manifests manifests = loaded.manifests();
    StoredCommits stored = loaded.stored();
    Session session = claimLog(store, owner, manifests, stored);
    return new Recovered(
        session,
        manifests,
        new CommitLog(store, session, manifests, stored),
        new ManifestWriter(store, session, manifests, loaded.etags()));
  }

  private record Loaded(Manifests manifests, StoredCommits stored, Map<Integer, String> etags) {}

  private static Loaded load(ObjectStore store) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return loadOnce(store);
      } catch (DamagedObjectException
          | NoSuchObjectException
          | PreconditionFailedException changed) {
        if (attempt == MAX_LOADS) {
          throw changed;
        }
      }
    }
  }

  private static Loaded loadOnce(ObjectStore store) throws IOException {
    Manifests manifests = new Manifests();
    Map<Integer, String> etags = new HashMap<>();
    Map<Integer, Manifest> found = new TreeMap<>();
    for (ObjectInfo info : Requests.listAll(store, Shards.PREFIX)) {
      int shard = shard(info.key());
      Manifest manifest = ManifestLayout.decode(shard, Requests.readAll(store, info));
      found.put(shard, manifest);
      etags.put(shard, info.etag());
      manifests.load(manifest);
    }
    StoredLog log = StoredLog.read(store);
    log.check(found);
    StoredCommits stored = new StoredCommits();
    log.commits().values().forEach(stored::add);
    for (Commit commit : log.commits().tailMap(log.start()).values()) {
      manifests.apply(commit);
    }
    return new Loaded(manifests, stored, etags);
  }

  /** The shard of a manifest, by its key. */
  static int shard(String key) throws DamagedObjectException {
    for (int shard = 0; shard < Shards.COUNT; shard++) {
      if (Shards.key(shard).equals(key)) {
        return shard;
      }
    }
    throw new DamagedObjectException(key, 0, "no shard has this name; take it away");
  }

  private static Session claimLog(
      ObjectStore store, Owner owner, Manifests manifests, StoredCommits stored)
      throws IOException {
    for (int attempt = 0; attempt < MAX_CLAIMS; attempt++) {
      CommitLog.Claimed claimed = CommitLog.claim(store, owner, manifests);
      Commit next = claimed.commit();
      if (next.epoch() > owner.epoch()) {
        Owner found = Ownership.read(store);
        throw new FencedException(found.host(), next.epoch());
      }
      stored.add(next);
      manifests.apply(next);
      if (claimed.isOurs()) {
        return new Session(0, owner, next.sequence());
      }
    }
    throw new IOException(store.name() + " is written to by another node all the time");
  }

  /**
   * Deletes segments that earlier processes of this node have left behind without a commit; blocks.
   * Whatever the WAL had is flushed again by then, or still in the WAL.
   *
   * @return how many were found
   */
  public static int deleteOrphans(ObjectStore store, Recovered recovered) throws IOException {
    List<String> orphans = new ArrayList<>();
    Set<SegmentId> known = recovered.manifests().segments().names();
    for (ObjectInfo info : Requests.listAll(store, SegmentId.PREFIX)) {
      SegmentId id = SegmentId.parse(info.key()).orElse(null);
      if (id != null && recovered.session().isOlder(id) && !known.contains(id)) {
        orphans.add(info.key());
      }
    }
    Requests.deleteAll(store, orphans);
    return orphans.size();
  }
}
