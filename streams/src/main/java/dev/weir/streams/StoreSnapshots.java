package dev.weir.streams;

import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.manifest.Owner;
import dev.weir.streams.manifest.SegmentState;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.Requests;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Snapshots of what is flushed into a directory. Each is a folder of hard links, {@code
 * ~snapshots/N} in the store: what is replaced, merged or deleted meanwhile keeps its bytes for as
 * long as the snapshot is open. Any thread.
 *
 * <ol>
 *   <li>The storage thread, between two changes, links owner, commits and manifests, and pins the
 *       segments that these need. That takes some milliseconds.
 *   <li>The caller's thread links the segments, and unpins them.
 * </ol>
 */
public final class StoreSnapshots {
  private static final String FOLDER = "~snapshots";

  private final ObjectStore store;
  private final Manifests manifests;
  private final Storage storage;
  private final StoreStats stats;
  private final Path folder;
  private final AtomicLong taken = new AtomicLong();
  private final AtomicInteger open = new AtomicInteger();

  private StoreSnapshots(
      ObjectStore store, Manifests manifests, Storage storage, StoreStats stats, Path folder) {
    this.store = store;
    this.manifests = manifests;
    this.storage = storage;
    this.stats = stats;
    this.folder = folder;
  }

  /** Removes what an earlier process has left in a store: bytes that nobody else needs. */
  static void deleteLeft(ObjectStore store) throws IOException {
    Path owner = store.localFile(Owner.KEY);
    if (owner != null) {
      LinkedFolder.delete(owner.resolveSibling(FOLDER));
    }
  }

  static StoreSnapshots open(
      ObjectStore store, Manifests manifests, Storage storage, StoreStats stats)
      throws IOException {
    Path folder = localFile(store, Owner.KEY).resolveSibling(FOLDER);
    return new StoreSnapshots(store, manifests, storage, stats, folder);
  }

  private static Path localFile(ObjectStore store, String key) throws IOException {
    Path file = store.localFile(key);
    if (file == null) {
      throw new IOException(store.name() + " is no directory: it has no snapshots");
    }
    return file;
  }

  /** How many are open. */
  public int open() {
    return open.get();
  }

  /**
   * Takes one; blocks until a flush or a step of a compaction that is under way has ended. The
   * caller closes it.
   */
  public StoreSnapshot take() throws IOException {
    LinkedFolder links = new LinkedFolder(folder.resolve(Long.toString(taken.incrementAndGet())));
    Capture capture = new Capture(links);
    try {
      await(capture);
      for (SegmentState segment : capture.segments) {
        link(links, segment.entry().id().key());
      }
    } catch (Throwable failure) {
      LinkedFolder.delete(links.root());
      throw failure;
    } finally {
      capture.segments.forEach(SegmentState::unpin);
    }
    open.incrementAndGet();
    return new StoreSnapshot(
        links.root(), capture.taken, stats, storage::lastCommit, open::decrementAndGet);
  }

  private void await(Capture capture) throws IOException {
    try {
      storage.between(capture::run).get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IOException reason) {
        throw reason;
      }
      throw new IOException("no snapshot of " + store.name(), failed.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a snapshot was taken", e);
    }
  }

  private void link(LinkedFolder links, String key) throws IOException {
    links.add(key, localFile(store, key));
  }

  /** The storage thread's part; its fields are the caller's afterwards. */
  private final class Capture {
    private final LinkedFolder links;
    private final List<SegmentState> segments = new ArrayList<>();
    private StoreSnapshot.Taken taken = new StoreSnapshot.Taken(0, 0, 0, 0, 0);

    Capture(LinkedFolder links) {
      this.links = links;
    }

    void run() throws IOException {
      taken = StoreSnapshot.Taken.now(manifests.lastSequence(), stats);
      link(links, Owner.KEY);
      for (String prefix : List.of(Commit.PREFIX, Shards.PREFIX)) {
        for (ObjectInfo object : Requests.listAll(store, prefix)) {
          link(links, object.key());
        }
      }
      for (SegmentState segment : manifests.segments().live()) {
        if (segment.tryPin()) {
          segments.add(segment);
        }
      }
    }
  }
}
