package dev.weir.replication.source;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A directory tree that is offered under a name. A manifest of it is made when one is asked for;
 * its snapshot stays for ten minutes after it was last used. Any thread.
 */
public final class Container {
  /** A manifest that ended so long ago is still new: those who ask at once share it. */
  private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();

  private static final long KEPT_NANOS = Duration.ofMinutes(10).toNanos();
  private static final int MOST_SNAPSHOTS = 8;

  /** Lends the one buffer that files are read with. */
  public interface Reading {
    /** Runs a build with the buffer, when it is its turn. */
    void with(Consumer<ByteBuffer> build);
  }

  private final String name;
  private final Path root;
  private final Path folder;
  private final Deque<Snapshot> snapshots = new ArrayDeque<>();
  private @Nullable ManifestBuild last;
  private long builds;

  /**
   * Offers a directory.
   *
   * @param folder where its manifests are kept: one of its own, outside {@code root}
   */
  public Container(String name, Path root, Path folder) throws IOException {
    this.name = name;
    this.root = root;
    this.folder = folder;
    Files.createDirectories(folder);
    try (DirectoryStream<Path> earlier = Files.newDirectoryStream(folder, "*.{manifest,stamps}")) {
      for (Path file : earlier) {
        if (!String.valueOf(file.getFileName()).startsWith("last.")) {
          Files.delete(file);
        }
      }
    }
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** A build that runs or has just ended, else a new one. */
  public synchronized ManifestBuild build(Executor executor, Reading reading) {
    ManifestBuild known = last;
    if (known != null
        && (!known.result().isDone() || System.nanoTime() - known.endedNanos() < FRESH_NANOS)) {
      return known;
    }
    ManifestBuild next = new ManifestBuild(++builds);
    last = next;
    var _ =
        next.result()
            .thenAccept(snapshot -> {
              synchronized (this) {
                keep(snapshot);
              }
            });
    executor.execute(() -> reading.with(buffer -> next.run(name, root, folder, buffer)));
    return next;
  }

  /** The last build, if it is that of this number or a later one. */
  public synchronized @Nullable ManifestBuild build(long number) {
    return last != null && last.number() >= number ? last : null;
  }

  /** The newest snapshot; null when no manifest has been made. */
  public synchronized @Nullable Snapshot newest() {
    return snapshots.peekFirst();
  }

  /** The snapshot of a manifest, if it is still there. */
  public synchronized @Nullable Snapshot snapshot(String tag) {
    for (Snapshot snapshot : snapshots) {
      if (snapshot.tag().equals(tag)) {
        snapshot.use();
        return snapshot;
      }
    }
    return null;
  }

  private void keep(Snapshot snapshot) {
    snapshots.removeIf(known -> known.tag().equals(snapshot.tag()));
    snapshots.addFirst(snapshot);
    long now = System.nanoTime();
    Iterator<Snapshot> oldest = snapshots.descendingIterator();
    while (oldest.hasNext()) {
      Snapshot old = oldest.next();
      if (old != snapshot
          && (snapshots.size() > MOST_SNAPSHOTS || now - old.usedNanos() > KEPT_NANOS)) {
        oldest.remove();
        try {
          old.delete();
        } catch (IOException e) {
          System.getLogger(Container.class.getName())
              .log(System.Logger.Level.WARNING, "cannot remove an old manifest: " + e);
        }
      }
    }
  }
}
