package dev.weir.replication.fetch;

import dev.weir.replication.tree.Deletion;
import dev.weir.replication.tree.SafeTree;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;

/**
 * Where a container is put together: {@code TARGET/.weir-incoming/NAME}, on the file system of its
 * final place, and for one process at a time.
 *
 * <pre>
 * lock       held as long as somebody works here
 * room       i64: the bytes that are promised to it and not written yet
 * manifest   of the source
 * tree/      what has come
 * </pre>
 */
final class ImportDirectory implements Closeable {
  static final String FOLDER = ".weir-incoming";

  private static final Duration ORPHANED_AFTER = Duration.ofHours(24);

  private final Path target;
  private final String name;
  private final Path home;
  private final HomeLock lock;
  private final FileChannel roomFile;

  private ImportDirectory(
      Path target, String name, Path home, HomeLock lock, FileChannel roomFile) {
    this.target = target;
    this.name = name;
    this.home = home;
    this.lock = lock;
    this.roomFile = roomFile;
  }

  /**
   * Takes the place for a container.
   *
   * @throws FetchException when the container is there, or somebody else fetches it
   */
  static ImportDirectory open(Path directory, String name) throws IOException {
    Files.createDirectories(directory);
    Path target = directory.toRealPath();
    refuseExisting(target, name);
    Path folder = target.resolve(FOLDER);
    makeOwn(folder);
    Path home = folder.resolve(name);
    makeOwn(home);
    HomeLock lock = HomeLock.tryTake(home.resolve("lock"));
    if (lock == null) {
      throw FetchException.refused(
          "'%s' is being fetched into %s already; wait for that, or choose another directory"
              .formatted(name, target));
    }
    try {
      // It may have ended in between.
      refuseExisting(target, name);
      FileChannel room =
          FileChannel.open(
              home.resolve("room"),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS);
      return new ImportDirectory(target, name, home, lock, room);
    } catch (IOException e) {
      lock.close();
      throw e;
    }
  }

  private static void refuseExisting(Path target, String name) throws FetchException {
    if (Files.exists(target.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
      throw FetchException.refused(
          "%s exists; remove it, or choose another directory".formatted(target.resolve(name)));
    }
  }

  private static void makeOwn(Path directory) throws IOException {
    try {
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        throw FetchException.refused(directory + " is no directory; remove it");
      }
    }
  }

  Path target() {
    return target;
  }

  /** Where the manifest of the source is, once it has come whole. */
  Path manifest() {
    return home.resolve("manifest");
  }

  /** What has come of the manifest so far. */
  Path partialManifest() {
    return home.resolve("manifest.part");
  }

  Path tree() {
    return home.resolve("tree");
  }

  boolean hasTree() {
    return Files.isDirectory(tree(), LinkOption.NOFOLLOW_LINKS);
  }

  void makeTree() throws IOException {
    makeOwn(tree());
  }

  void discardTree() throws IOException {
    Deletion.delete(tree());
  }

  /** The bytes that are promised and not written, as the last process here left them. */
  long room() throws IOException {
    return readRoom(roomFile);
  }

  static long readRoom(FileChannel file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
    return file.read(bytes, 0) == Long.BYTES ? Math.max(0, bytes.getLong(0)) : 0;
  }

  void room(long bytes) throws IOException {
    roomFile.write(ByteBuffer.allocate(Long.BYTES).putLong(0, bytes), 0);
  }

  /**
   * Gives the container its name, and removes what was needed for it.
   *
   * @param mode of its directory
   */
  void publish(int mode) throws IOException {
    Path last = target.resolve(name);
    refuseExisting(target, name);
    Files.move(tree(), last, StandardCopyOption.ATOMIC_MOVE);
    Files.setPosixFilePermissions(last, SafeTree.permissions(mode));
    sync(target);
    Deletion.delete(home);
  }

  /** Brings a directory or a file to the disk. */
  static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /**
   * Removes what others have left behind more than a day ago.
   *
   * @return how many imports that were
   */
  static int removeOrphans(Path directory, Instant now) throws IOException {
    if (!Files.isDirectory(directory)) {
      return 0;
    }
    Path folder = directory.toRealPath().resolve(FOLDER);
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return 0;
    }
    int removed = 0;
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(folder)) {
      for (Path home : homes) {
        Path room = home.resolve("room");
        if (!Files.isRegularFile(room, LinkOption.NOFOLLOW_LINKS)
            || Files.getLastModifiedTime(room).toInstant().isAfter(now.minus(ORPHANED_AFTER))) {
          continue;
        }
        try (HomeLock lock = HomeLock.tryTake(home.resolve("lock"))) {
          if (lock != null) {
            Deletion.delete(home);
            removed++;
          }
        }
      }
    }
    return removed;
  }

  @Override
  public void close() throws IOException {
    if (!hasTree()) {
      // Nothing that a later attempt could go on with.
      Deletion.delete(home);
    }
    roomFile.close();
    lock.close();
  }
}
