package dev.weir.replication.receive;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lock of an import, against other processes and within this one. A process loses its lock of a
 * file when it closes any descriptor of it (POSIX), so none of a held file is opened twice here.
 */
public final class HomeLock implements Closeable {
  private static final Set<Path> HELD = new HashSet<>();

  private final Path file;
  private final FileChannel channel;

  private HomeLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Takes the lock; null when somebody has it.
   *
   * @param file by its real path; it is made if it is missing, in a directory that is there
   */
  public static @Nullable HomeLock tryTake(Path file) throws IOException {
    synchronized (HELD) {
      if (HELD.contains(file)) {
        return null;
      }
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        channel.close();
        return null;
      }
      HELD.add(file);
      return new HomeLock(file, channel);
    }
  }

  /** Whether somebody has it. */
  static boolean isHeld(Path file) throws IOException {
    try (HomeLock taken = tryTake(file)) {
      return taken == null;
    } catch (NoSuchFileException directoryHasGone) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (HELD) {
      HELD.remove(file);
      channel.close();
    }
  }
}
