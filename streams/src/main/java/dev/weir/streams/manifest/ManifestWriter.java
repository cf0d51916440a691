package dev.weir.streams.manifest;

import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Requests;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * Stores manifests: a few shards at a time, the one furthest behind first. For one thread, which
 * may block.
 */
public final class ManifestWriter {
  private final ObjectStore store;
  private final Session session;
  private final Manifests manifests;
  private final Map<Integer, String> etags = new HashMap<>();

  /**
   * Goes on with what is stored.
   *
   * @param etags of the manifests that are there, by shard
   */
  public ManifestWriter(
      ObjectStore store, Session session, Manifests manifests, Map<Integer, String> etags) {
    this.store = store;
    this.session = session;
    this.manifests = manifests;
    this.etags.putAll(etags);
  }

  /**
   * How many shards are worth storing after a flush; pure. Short logs are left alone, so that small
   * flushes cost no manifests.
   *
   * @param unfoldedCommits commits that a start would have to read
   * @param maxShards the most that one flush may store
   */
  public static int shardsDue(long unfoldedCommits, int maxShards) {
    return unfoldedCommits > 32 ? maxShards : 0;
  }

  /**
   * Stores up to {@code maxShards} manifests.
   *
   * @return how many
   * @throws FencedException where another node has the store
   */
  public int fold(int maxShards) throws IOException {
    int written = 0;
    while (written < maxShards) {
      int shard = manifests.furthestBehind();
      if (shard < 0) {
        break;
      }
      write(shard);
      written++;
    }
    return written;
  }

  private void write(int shard) throws IOException {
    Manifest manifest = manifests.snapshot(shard, session.owner().epoch());
    ObjectContent content =
        ObjectContent.of(MemorySegment.ofArray(ManifestLayout.encode(manifest)));
    ObjectInfo info;
    try {
      info = Requests.await(store.put(Shards.key(shard), content, condition(shard)));
    } catch (PreconditionFailedException other) {
      readEtag(shard, other);
      info = Requests.await(store.put(Shards.key(shard), content, condition(shard)));
    }
    etags.put(shard, info.etag());
    manifests.noteStored(shard, manifest.sequence());
  }

  private PutCondition condition(int shard) {
    String etag = etags.get(shard);
    return etag == null ? PutCondition.ifAbsent() : PutCondition.ifMatch(etag);
  }

  /** An earlier write of ours may have come through unheard; a later owner's stays. */
  private void readEtag(int shard, PreconditionFailedException other) throws IOException {
    try {
      ObjectInfo info = Requests.await(store.head(Shards.key(shard)));
      Manifest found = ManifestLayout.decode(shard, Requests.readAll(store, info));
      if (found.epoch() > session.owner().epoch()) {
        Owner owner = OwnerLayout.decode(Requests.readAll(store, Owner.KEY));
        throw new FencedException(owner.host(), owner.epoch());
      }
      etags.put(shard, info.etag());
    } catch (NoSuchObjectException gone) {
      other.addSuppressed(gone);
      throw other;
    }
  }
}
