package dev.weir.replication.fetch;

import dev.weir.replication.manifest.Entry;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.tree.SafeTree;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The tree that a container is put together in. One thread makes directories and opens files; whole
 * files are brought to the disk and closed on threads of its own, so that no event loop waits for a
 * sync.
 */
final class TargetTree implements Closeable {
  /** Files that are open at once, finished or not. */
  private static final int MOST_OPEN = 512;

  private static final int SYNC_THREADS = 2;

  private static final Set<StandardOpenOption> NEW =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
  private static final Set<StandardOpenOption> KEPT =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

  private final Path root;
  private final SafeTree tree;
  private final boolean resumed;
  private final Semaphore places = new Semaphore(MOST_OPEN);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Set<FileChannel> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService finisher;

  TargetTree(Path root, boolean resumed) throws IOException {
    this.root = root;
    this.resumed = resumed;
    this.tree = new SafeTree(root);
    this.finisher =
        Executors.newFixedThreadPool(
            SYNC_THREADS, Thread.ofPlatform().daemon().name("weir-sync-", 0).factory());
  }

  /** Makes a directory, which may be there already where an import is resumed. */
  void directory(Entry entry) throws IOException {
    Path directory = root.resolve(entry.path());
    tree.enter(parent(entry.path()));
    try {
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      if (!resumed) {
        throw taken(entry);
      }
    }
    // Whatever stands there now: a link is not entered.
    tree.enter(entry.path());
  }

  private static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "." : path.substring(0, slash);
  }

  /**
   * Opens a file, and says by its length what was there before. Waits while too many are open.
   *
   * @return a file with one claim, the caller's
   */
  TargetFile file(Entry entry) throws IOException, InterruptedException {
    while (!places.tryAcquire(100, TimeUnit.MILLISECONDS)) {
      rethrow();
    }
    try {
      FileChannel channel = open(entry);
      open.add(channel);
      return new TargetFile(entry, channel, this::whole);
    } catch (IOException e) {
      places.release();
      throw e;
    }
  }

  /** Gives a file of another tree, which is whole and never changes, a name in this one. */
  void link(Entry entry, Path file) throws IOException {
    tree.enter(parent(entry.path()));
    Path link = root.resolve(entry.path());
    if (resumed) {
      Files.deleteIfExists(link);
    }
    Files.createLink(link, file);
  }

  private FileChannel open(Entry entry) throws IOException {
    FileChannel file = openForUs(entry);
    try {
      // What is open stays so, whatever the mode says from now on.
      tree.setMode(entry.path(), entry.mode());
      return file;
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  private FileChannel openForUs(Entry entry) throws IOException {
    try {
      return tree.open(
          entry.path(),
          NEW,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException e) {
      if (!resumed) {
        throw taken(entry);
      }
      if (tree.attributes(entry.path()).isRegularFile()) {
        tree.setMode(entry.path(), 0600);
        return tree.open(entry.path(), KEPT);
      }
      throw FetchException.refused(
          "%s is no file; remove %s and fetch again".formatted(root.resolve(entry.path()), root));
    }
  }

  private FetchException taken(Entry entry) {
    return FetchException.refused(
        "the manifest has the path '%s', which is another's on this file system: names that differ"
                .formatted(entry.path())
            + " only in case are one here");
  }

  private void whole(TargetFile file) {
    finisher.execute(() -> {
      try (FileChannel channel = file.channel()) {
        file.fit();
        channel.force(true);
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      } finally {
        open.remove(file.channel());
        places.release();
      }
    });
  }

  /** Throws what has gone wrong beside the caller. */
  void rethrow() throws IOException {
    Throwable e = failure.get();
    if (e != null) {
      throw new IOException(
          "a file cannot be brought to the disk in %s: %s".formatted(root, e.getMessage()), e);
    }
  }

  /** Waits for the files, then gives directories their modes and brings them to the disk. */
  void finish(Path manifest) throws IOException, InterruptedException {
    while (!places.tryAcquire(MOST_OPEN, 100, TimeUnit.MILLISECONDS)) {
      rethrow();
    }
    rethrow();
    places.release(MOST_OPEN);
    try (ManifestReader reader = ManifestReader.open(manifest)) {
      for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
        if (entry.isDirectory()) {
          ImportDirectory.sync(root.resolve(entry.path()));
          tree.setMode(entry.path(), entry.mode());
        }
      }
    }
    ImportDirectory.sync(root);
  }

  @Override
  public void close() throws IOException {
    finisher.shutdown();
    try {
      if (!finisher.awaitTermination(1, TimeUnit.MINUTES)) {
        finisher.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // Of files that are not whole.
    for (FileChannel channel : open) {
      channel.close();
    }
    tree.close();
  }
}
