package dev.weir.replication.source;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A directory tree that is offered under a name. A manifest of it is made when one is asked for;
 * its snapshot stays for ten minutes after it was last used. Any thread.
 */
public final class Container {
  private static final System.Logger LOG = System.getLogger(Container.class.getName());

  /** A manifest that ended so long ago is still new: those who ask at once share it. */
  private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();

  private static final long KEPT_NANOS = Duration.ofMinutes(10).toNanos();

  /** Lends the one buffer that files are read with. */
  public interface Reading {
    /** Runs a build with the buffer, when it is its turn. */
    void with(Consumer<ByteBuffer> build);
  }

  private final String name;
  private final Origin origin;
  private final Path folder;
  private final Deque<Snapshot> snapshots = new ArrayDeque<>();
  private @Nullable ManifestBuild last;
  private long builds;

  /**
   * Offers something.
   *
   * @param folder where its manifests are kept: one of its own, outside the trees
   */
  public Container(String name, Origin origin, Path folder) throws IOException {
    this.name = name;
    this.origin = origin;
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
        && (!known.result().isDone()
            || System.nanoTime() - known.endedNanos() < FRESH_NANOS
            || isCurrent(known))) {
      return known;
    }
    ManifestBuild next = new ManifestBuild(++builds);
    last = next;
    var _ = next.result().thenAccept(snapshot -> keep(snapshot).forEach(Container::delete));
    executor.execute(() -> reading.with(buffer -> next.run(name, origin, folder, buffer)));
    return next;
  }

  /** The newest snapshot is of this build, and still says what a new one would. */
  private boolean isCurrent(ManifestBuild build) {
    Snapshot newest = snapshots.peekFirst();
    return newest != null && build.has(newest) && newest.tree().isCurrent();
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

  /** How many are kept. */
  public synchronized int snapshots() {
    return snapshots.size();
  }

  /** Lets go of all trees; manifests stay for the next start. */
  public synchronized void close() {
    for (Snapshot snapshot : snapshots) {
      try {
        snapshot.tree().close();
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "cannot remove a snapshot: " + e);
      }
    }
    snapshots.clear();
  }

  /** Lets go of what nobody has used for ten minutes; blocks. */
  public void expire() {
    expire(System.nanoTime());
  }

  void expire(long nowNanos) {
    List<Snapshot> old;
    synchronized (this) {
      old = removeOld(null, nowNanos);
    }
    old.forEach(Container::delete);
  }

  private synchronized List<Snapshot> keep(Snapshot snapshot) {
    // Both have the same files of a manifest.
    snapshots.removeIf(known -> known.tag().equals(snapshot.tag()));
    snapshots.addFirst(snapshot);
    return removeOld(snapshot, System.nanoTime());
  }

  /** Takes out what is to be deleted, which is done without the lock. */
  private List<Snapshot> removeOld(@Nullable Snapshot newest, long nowNanos) {
    List<Snapshot> removed = new ArrayList<>();
    Iterator<Snapshot> oldest = snapshots.descendingIterator();
    while (oldest.hasNext()) {
      Snapshot old = oldest.next();
      if (old != newest
          && (snapshots.size() > origin.mostSnapshots()
              || nowNanos - old.usedNanos() > KEPT_NANOS)) {
        oldest.remove();
        removed.add(old);
      }
    }
    return removed;
  }

  private static void delete(Snapshot old) {
    try {
      old.delete();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot remove an old manifest: " + e);
    }
  }
}
