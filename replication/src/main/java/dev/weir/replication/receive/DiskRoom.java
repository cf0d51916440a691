package dev.weir.replication.receive;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;

/**
 * Room on the disk, promised before data comes: the imports of one directory are counted together,
 * whichever process they are in, so two never count on the same free bytes.
 */
public final class DiskRoom {
  /** File locks hold off other processes, this the threads of our own. */
  private static final ReentrantLock THREADS = new ReentrantLock();

  private DiskRoom() {}

  /**
   * Promises room.
   *
   * @param free what the directory's disk has room for
   * @throws NoRoomException when there is less than is wanted, with what is promised to others
   */
  @SuppressWarnings("try") // the lock is held, and not asked
  public static void reserve(ImportDirectory own, long bytes, ToLongFunction<Path> free)
      throws IOException {
    Path folder = own.target().resolve(ImportDirectory.FOLDER);
    THREADS.lock();
    try (FileChannel file =
            FileChannel.open(
                folder.resolve(".room-lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        FileLock held = file.lock()) {
      own.room(0);
      long promised = promised(folder);
      long usable = free.applyAsLong(own.target());
      if (bytes > usable - promised) {
        throw new NoRoomException(
            ("%s has %,d bytes free, of which %,d are promised to other imports; this one needs"
                    + " %,d more: free some space and try again")
                .formatted(own.target(), usable, promised, bytes),
            null);
      }
      own.room(bytes);
    } finally {
      THREADS.unlock();
    }
  }

  private static long promised(Path folder) throws IOException {
    long sum = 0;
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(folder)) {
      for (Path home : homes) {
        Path lock = home.resolve("lock");
        Path room = home.resolve("room");
        if (Files.isRegularFile(room, LinkOption.NOFOLLOW_LINKS) && HomeLock.isHeld(lock)) {
          try (FileChannel file = FileChannel.open(room, StandardOpenOption.READ)) {
            sum += ImportDirectory.readRoom(file);
          }
        }
      }
    }
    return sum;
  }
}
