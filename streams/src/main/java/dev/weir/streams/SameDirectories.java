package dev.weir.streams;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A file system that keeps to the directories that were there when a store was opened. Where the
 * path of one leads to another since, as after a mount over it, nothing is read, written, or
 * deleted by that path: what is acknowledged would lie in two places, and the other may be somebody
 * else's. Files that are open already go on where they are, and all goes on when the path leads
 * back.
 *
 * <p>The directories are held open, so that no other gets the number of one that was deleted, and
 * file systems that make numbers up keep theirs. Without such numbers, as on Windows, nothing is
 * checked. A directory that is missing is the operation's to report.
 */
final class SameDirectories implements Disk, Closeable {
  private final Disk disk;
  private final Map<Path, Object> keys = new HashMap<>();
  private final List<FileChannel> held = new ArrayList<>();

  private SameDirectories(Disk disk) {
    this.disk = disk;
  }

  /** Holds the directories that have files, which must exist. */
  static SameDirectories open(Disk disk, StoreLayout layout) throws IOException {
    SameDirectories directories = new SameDirectories(disk);
    try {
      directories.hold(layout.journalDirectory());
      directories.hold(layout.spoolDirectory());
      return directories;
    } catch (Throwable notHeld) {
      directories.close();
      throw notHeld;
    }
  }

  private void hold(Path directory) throws IOException {
    if (keyOf(directory) != null) {
      held.add(FileChannel.open(directory, StandardOpenOption.READ));
      keys.put(directory, keyOf(directory));
    }
  }

  private static Object keyOf(Path directory) throws IOException {
    return Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
  }

  /** Fails where one of the paths leads to another directory now. */
  void check() throws IOException {
    for (Path directory : keys.keySet()) {
      check(directory);
    }
  }

  private void check(Path directory) throws IOException {
    Object key = keys.get(directory);
    if (key == null) {
      return;
    }
    Object now;
    try {
      now = keyOf(directory);
    } catch (NoSuchFileException missing) {
      return;
    }
    if (!key.equals(now)) {
      throw new IOException(
          directory
              + " is not the directory that this node has opened: something is mounted over it, or"
              + " it was replaced; undo that, or restart the node to use the other");
    }
  }

  private void checkParent(Path file) throws IOException {
    Path directory = file.getParent();
    if (directory != null) {
      check(directory);
    }
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    checkParent(file);
    return disk.create(file);
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    checkParent(file);
    return disk.open(file);
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    checkParent(file);
    return disk.openForReading(file);
  }

  @Override
  public FileChannel openForTransfer(Path file) throws IOException {
    checkParent(file);
    return disk.openForTransfer(file);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    checkParent(from);
    checkParent(to);
    disk.move(from, to);
  }

  @Override
  public void delete(Path file) throws IOException {
    checkParent(file);
    disk.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    check(directory);
    disk.syncDirectory(directory);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    check(directory);
    return disk.list(directory);
  }

  @Override
  public void makeDirectories(Path directory) throws IOException {
    disk.makeDirectories(directory);
  }

  @Override
  public void close() throws IOException {
    for (FileChannel directory : held) {
      directory.close();
    }
  }
}
