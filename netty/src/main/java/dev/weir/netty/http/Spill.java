package dev.weir.netty.http;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where bodies go that are not for memory: files of a folder, up to a bound on all of them
 * together. A file has no name from the moment it is open (where the system deletes at close, from
 * then on), so nothing is left of it whatever becomes of the process; and where the system knows
 * owners of files, nobody but this process's can open it before. One serves all channels; its
 * methods may be called from any thread.
 */
public final class Spill {
  /**
   * A body in a file has a descriptor while it comes in, and a mapping from then on: far below the
   * 65,530 mappings that Linux gives a process, and what systems give it in descriptors.
   */
  private static final int MAX_FILES = 4_096;

  private static final FileAttribute<?> OWNER_ONLY_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> OWNER_ONLY_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path folder;
  private final Disk disk;
  private final long maximumBytes;
  private final int thresholdBytes;
  private final Duration patience;
  private final AtomicLong usedBytes = new AtomicLong();
  private final int maximumFiles;
  private final AtomicInteger usedFiles = new AtomicInteger();
  private final AtomicLong bodies = new AtomicLong();

  /**
   * Spills into {@code folder}, up to 4,096 bodies at a time.
   *
   * @param folder made for this process's owner alone if it is not there
   * @param maximumBytes what all files may take together
   * @param thresholdBytes bodies larger than this go to a file at once
   * @param patience how long others wait for memory before they do
   * @throws IOException if the folder cannot be made
   */
  public Spill(Path folder, long maximumBytes, int thresholdBytes, Duration patience)
      throws IOException {
    this(folder, maximumBytes, thresholdBytes, patience, MAX_FILES, Disk.SYSTEM);
  }

  /** The same with another bound on the bodies in files at a time, and another disk. */
  Spill(
      Path folder,
      long maximumBytes,
      int thresholdBytes,
      Duration patience,
      int maximumFiles,
      Disk disk)
      throws IOException {
    if (maximumBytes <= 0 || thresholdBytes < 0 || !patience.isPositive()) {
      throw new IllegalArgumentException(
          "maximumBytes: %d, thresholdBytes: %d, patience: %s (expected: > 0, >= 0, > 0)"
              .formatted(maximumBytes, thresholdBytes, patience));
    }
    this.folder = Files.createDirectories(folder, ifKnown(folder, OWNER_ONLY_FOLDER));
    this.disk = disk;
    this.maximumFiles = maximumFiles;
    this.maximumBytes = maximumBytes;
    this.thresholdBytes = thresholdBytes;
    this.patience = patience;
  }

  /** What the files take now: what their bodies declared, or have come to. */
  public long usedBytes() {
    return usedBytes.get();
  }

  /** How many bodies have gone to a file so far. */
  public long bodies() {
    return bodies.get();
  }

  long maximumBytes() {
    return maximumBytes;
  }

  int thresholdBytes() {
    return thresholdBytes;
  }

  Duration patience() {
    return patience;
  }

  /**
   * Looks whether files, if they were empty, could take a body that memory is not for.
   *
   * @param bytes what the body comes to; less is as good as nothing
   * @throws RefusedRequestException if it is too large for them, and to be refused for good
   */
  void requirePossible(long bytes) throws RefusedRequestException {
    if (bytes > thresholdBytes && bytes > maximumBytes) {
      throw RefusedRequestException.tooLarge(Math.max(thresholdBytes, maximumBytes));
    }
  }

  Disk disk() {
    return disk;
  }

  /** Takes room for {@code bytes}, if there is. */
  boolean tryReserve(long bytes) {
    long used = usedBytes.get();
    while (bytes <= maximumBytes - used) {
      if (usedBytes.compareAndSet(used, used + bytes)) {
        return true;
      }
      used = usedBytes.get();
    }
    return false;
  }

  /** Takes room for a file, if there is. */
  boolean tryReserveFile() {
    int used = usedFiles.get();
    while (used < maximumFiles) {
      if (usedFiles.compareAndSet(used, used + 1)) {
        return true;
      }
      used = usedFiles.get();
    }
    return false;
  }

  /** A file and its bytes are no more. */
  void giveBackFile(long bytes) {
    usedBytes.addAndGet(-bytes);
    usedFiles.decrementAndGet();
  }

  /** Opens a file that nobody else can. Waits for the disk. */
  FileChannel open() throws IOException {
    return open(
        folder.resolve("body-" + UUID.randomUUID()),
        Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE));
  }

  /** The same with a name and options of the caller's. */
  FileChannel open(Path path, Set<StandardOpenOption> options) throws IOException {
    FileChannel file = disk.open(path, options, ifKnown(folder, OWNER_ONLY_FILE));
    bodies.incrementAndGet();
    return file;
  }

  private static FileAttribute<?>[] ifKnown(Path place, FileAttribute<?> permissions) {
    return place.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {permissions}
        : new FileAttribute<?>[0];
  }
}
