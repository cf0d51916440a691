package dev.weir.streams;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/**
 * Every call that the store makes to a file system. Tests replace it to make disks full or slow.
 *
 * <p>Methods may be called from any thread. A full disk is reported as an {@link IOException} for
 * which {@link StorageFullException#isFull} is true.
 */
public interface Disk {
  /** Creates a file that must not exist, open for reading and writing. */
  DiskFile create(Path file) throws IOException;

  /** Opens an existing file for reading and writing. */
  DiskFile open(Path file) throws IOException;

  /** Opens an existing file for reading. */
  DiskFile openForReading(Path file) throws IOException;

  /** Opens an existing file for the system to send; its taker closes it. */
  FileChannel openForTransfer(Path file) throws IOException;

  /** Replaces {@code to} by {@code from} atomically. Durable after {@link #syncDirectory}. */
  void move(Path from, Path to) throws IOException;

  /** Deletes a file; one that is already gone is not an error. */
  void delete(Path file) throws IOException;

  /** Makes the names in a directory durable. */
  void syncDirectory(Path directory) throws IOException;

  /** The entries of a directory, in no order. */
  List<Path> list(Path directory) throws IOException;

  /** Creates a directory and its parents where missing. */
  void makeDirectories(Path directory) throws IOException;
}
