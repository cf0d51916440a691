package dev.weir.server;

import dev.weir.replication.manifest.ManifestLayout;
import dev.weir.replication.net.Lag;
import dev.weir.replication.serve.ReplicationServer;
import dev.weir.replication.serve.ServeOptions;
import dev.weir.replication.source.Origin;
import dev.weir.server.metrics.ReplicationFigures;
import dev.weir.streams.StoreSnapshot;
import dev.weir.streams.StoreSnapshots;
import dev.weir.streams.StreamStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a node has flushed, as a container. Each manifest is of a snapshot, which stays for ten
 * minutes after its last use. Any thread.
 */
final class StoreReplication implements Origin {
  /** The name of the container. */
  static final String CONTAINER = "store";

  /**
   * More are never open: each makes the next one wait a second longer, so ten minutes have room for
   * 35.
   */
  private static final int MOST_SNAPSHOTS = 64;

  /** One thread sends: the others of a small machine are the node's. */
  private static final int EVENT_LOOPS = 1;

  private final StoreSnapshots snapshots;
  private volatile @Nullable StoreSnapshot newest;

  private StoreReplication(StoreSnapshots snapshots) {
    this.snapshots = snapshots;
  }

  /** A server that offers a store, and its figures. */
  record Started(ReplicationServer server, ReplicationFigures figures) {}

  /**
   * Begins to offer a store, which must be in a directory.
   *
   * @param data the node's directory, where manifests are kept
   * @throws java.net.BindException when the address cannot be bound
   */
  static Started start(ReplicationSettings settings, StreamStore store, Path data)
      throws IOException {
    StoreReplication origin = new StoreReplication(store.snapshots());
    ReplicationServer server =
        ReplicationServer.start(
            new ServeOptions(
                settings.address(),
                Map.of(),
                data.resolve("replicate"),
                settings.budgetBytes(),
                settings.rate(),
                settings.tls(),
                ServeOptions.DEFAULT_PROGRESS_LIMIT),
            Map.of(CONTAINER, origin),
            EVENT_LOOPS);
    return new Started(
        server,
        new ReplicationFigures(
            server.figures()::sentBytes,
            server.figures()::connections,
            server.figures()::refusals,
            origin.snapshots::open,
            () -> origin.lag().bytes(),
            () -> origin.lag().seconds()));
  }

  @Override
  public Tree open() throws IOException {
    StoreSnapshot snapshot = snapshots.take();
    newest = snapshot;
    return new SnapshotTree(snapshot);
  }

  @Override
  public int mostSnapshots() {
    return MOST_SNAPSHOTS;
  }

  /** What the newest snapshot does not have; nothing before the first. */
  private Lag lag() {
    StoreSnapshot last = newest;
    return last == null ? new Lag(0, 0) : lag(last);
  }

  private static Lag lag(StoreSnapshot snapshot) {
    return new Lag(Math.max(0, snapshot.missingBytes()), snapshot.missingSeconds());
  }

  private final class SnapshotTree implements Tree {
    private final StoreSnapshot snapshot;

    SnapshotTree(StoreSnapshot snapshot) {
      this.snapshot = snapshot;
    }

    @Override
    public Path root() {
      return snapshot.root();
    }

    @Override
    public boolean isSealed() {
      return true;
    }

    @Override
    public boolean isCurrent() {
      long ageNanos = System.nanoTime() - snapshot.takenNanos();
      return snapshot.isCurrent() || ageNanos < TimeUnit.SECONDS.toNanos(snapshots.open());
    }

    @Override
    public int[] checksums(String path) throws IOException {
      return snapshot.checksums(path, ManifestLayout.CHUNK_BYTES);
    }

    @Override
    public Map<String, String> headers() {
      return lag(snapshot).headers();
    }

    @Override
    public void close() throws IOException {
      snapshot.close();
    }
  }
}
