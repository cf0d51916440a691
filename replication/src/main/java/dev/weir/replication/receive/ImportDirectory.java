package dev.weir.replication.receive;

import dev.weir.replication.manifest.ManifestException;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.Summary;
import dev.weir.replication.transfer.TransferException;
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
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

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
public final class ImportDirectory implements Closeable {
  /** Where the imports of a directory are. */
  public static final String FOLDER = ".weir-incoming";

  private static final int MODE = 0755;
  private static final long BLOCK_BYTES = 4096;
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
   * @throws TakenException when the container is there, or somebody else works on it
   */
  public static ImportDirectory open(Path directory, String name) throws IOException {
    Files.createDirectories(directory);
    Path target = directory.toRealPath();
    refuseExisting(target, name);
    Path folder = target.resolve(FOLDER);
    makeOwn(folder);
    Path home = folder.resolve(name);
    makeOwn(home);
    HomeLock lock = HomeLock.tryTake(home.resolve("lock"));
    if (lock == null) {
      throw new TakenException(
          "'%s' is being copied into %s already; wait for that, or choose another directory"
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

  /**
   * Refuses what is there already.
   *
   * @throws TakenException which says so
   */
  public static void refuseExisting(Path target, String name) throws TakenException {
    if (Files.exists(target.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
      throw new TakenException(
          "%s exists; remove it, or choose another directory".formatted(target.resolve(name)));
    }
  }

  /** Makes a directory for its owner alone, if it is not there. */
  public static void makeOwn(Path directory) throws IOException {
    try {
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        throw TransferException.refused(directory + " is no directory; remove it");
      }
    }
  }

  /** The directory that gets the container. */
  public Path target() {
    return target;
  }

  /** Where the manifest of the source is, once it has come whole. */
  public Path manifest() {
    return home.resolve("manifest");
  }

  /** What has come of the manifest so far. */
  public Path partialManifest() {
    return home.resolve("manifest.part");
  }

  /** What has come of the container. */
  public Path tree() {
    return home.resolve("tree");
  }

  private boolean hasTree() {
    return Files.isDirectory(tree(), LinkOption.NOFOLLOW_LINKS);
  }

  private void makeTree() throws IOException {
    makeOwn(tree());
  }

  /**
   * Takes the manifest that has come, unless it is the one that is here: then its tree is gone on
   * with. Promises room on the disk for what is missing.
   *
   * @param tag of the manifest that has come
   * @param earlier has files that need not come; null for none
   * @param free what the directory's disk has room for
   * @throws NoRoomException when that is less than is wanted
   * @throws ManifestException when the manifest lies
   */
  public Prepared prepare(String tag, @Nullable Earlier earlier, ToLongFunction<Path> free)
      throws IOException {
    boolean resumed = hasTree() && tag.equals(ManifestFile.tagOf(manifest()));
    if (!resumed) {
      Deletion.delete(tree());
      Files.move(partialManifest(), manifest(), StandardCopyOption.REPLACE_EXISTING);
    }
    Summary summary = ManifestReader.check(manifest());
    Unchanged unchanged = earlier == null ? Unchanged.NONE : Unchanged.between(earlier, manifest());
    long whole = summary.dataBytes() + BLOCK_BYTES * summary.entries() - unchanged.dataBytes();
    DiskRoom.reserve(this, resumed ? Math.min(whole, room()) : whole, free);
    if (!resumed) {
      makeTree();
    }
    return new Prepared(summary, unchanged, resumed, whole);
  }

  /**
   * An import that may begin.
   *
   * @param unchanged files that are linked instead
   * @param resumed whether an earlier attempt has left a tree
   * @param wholeBytes the room for all that comes: data, and a block for each entry
   */
  public record Prepared(Summary summary, Unchanged unchanged, boolean resumed, long wholeBytes) {
    /** The room for what is not there, when so many bytes are verified, linked ones too. */
    public long missingBytes(long verifiedBytes) {
      return Math.clamp(wholeBytes + unchanged.dataBytes() - verifiedBytes, 0, wholeBytes);
    }
  }

  /** The bytes that are promised and not written, as the last process here left them. */
  private long room() throws IOException {
    return readRoom(roomFile);
  }

  static long readRoom(FileChannel file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
    return file.read(bytes, 0) == Long.BYTES ? Math.max(0, bytes.getLong(0)) : 0;
  }

  /** Says how much of the promised room is not written yet. */
  public void room(long bytes) throws IOException {
    roomFile.write(ByteBuffer.allocate(Long.BYTES).putLong(0, bytes), 0);
  }

  /**
   * Gives the container its name, and removes what was needed for it. Its own directory, which is
   * in no manifest, gets the mode 0755.
   */
  public void publish() throws IOException {
    Path last = target.resolve(name);
    refuseExisting(target, name);
    Files.move(tree(), last, StandardCopyOption.ATOMIC_MOVE);
    Files.setPosixFilePermissions(last, SafeTree.permissions(MODE));
    sync(target);
    Deletion.delete(home);
  }

  /** Brings a directory or a file to the disk. */
  public static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /**
   * Removes what others have left behind more than a day ago.
   *
   * @return how many imports that were
   */
  public static int removeOrphans(Path directory, Instant now) throws IOException {
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

  /** Removes it with all that has come. */
  public void discard() throws IOException {
    Deletion.delete(home);
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
