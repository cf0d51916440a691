package dev.weir.streams.objects.directory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Files that one store is writing, in a folder of its own. The folder has a file that its process
 * keeps locked; where nobody does, a process has died, and the next store deletes the folder.
 */
final class TemporaryFiles implements Closeable {
  private static final String LOCK = "lock";

  /** Folders of this process: to open and close their locks' files would drop the locks. */
  private static final Set<Path> OURS = new HashSet<>();

  private final Path folder;
  private final FileChannel lock;
  private final AtomicLong made = new AtomicLong();

  private TemporaryFiles(Path folder, FileChannel lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /** Deletes what dead processes have left, and makes a folder. The caller has the host's lock. */
  static TemporaryFiles open(Path parent) throws IOException {
    synchronized (OURS) {
      Files.createDirectories(parent);
      for (Path left : entries(parent)) {
        if (!OURS.contains(left) && isAbandoned(left.resolve(LOCK))) {
          deleteFolder(left);
        }
      }
      Path folder = Files.createDirectory(parent.resolve(UUID.randomUUID().toString()));
      FileChannel lock =
          FileChannel.open(
              folder.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      if (lock.tryLock() == null) {
        throw new IOException("cannot lock " + folder.resolve(LOCK));
      }
      OURS.add(folder);
      return new TemporaryFiles(folder, lock);
    }
  }

  private static boolean isAbandoned(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      @Nullable FileLock ours = channel.tryLock();
      return ours != null;
    } catch (NoSuchFileException e) {
      return true; // Its process died before it made one: the host's lock is ours.
    }
  }

  /** A name that no other file has had. */
  Path next() {
    return folder.resolve(Long.toString(made.incrementAndGet()));
  }

  @Override
  public void close() throws IOException {
    synchronized (OURS) {
      lock.close();
      OURS.remove(folder);
      deleteFolder(folder);
    }
  }

  private static void deleteFolder(Path folder) throws IOException {
    for (Path file : entries(folder)) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(folder);
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }
}
