package dev.weir.streams.objects.directory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock between all threads of all processes of a host, on a file. The operating system drops it
 * when a process dies.
 *
 * <p>Locks of files belong to a process, and closing any channel of the file drops them. So the
 * stores of one process share one channel for each file, and a lock of the JVM in front of it.
 */
final class HostLock implements Closeable {
  private static final Map<Path, Shared> OPEN = new HashMap<>();

  private static final class Shared {
    final FileChannel channel;
    final ReentrantLock threads = new ReentrantLock();
    int users;

    Shared(FileChannel channel) {
      this.channel = channel;
    }
  }

  private final Path file;
  private final Shared shared;
  private boolean isClosed;

  private HostLock(Path file, Shared shared) {
    this.file = file;
    this.shared = shared;
  }

  /**
   * Makes the file, if it is missing.
   *
   * @param file in a directory by its real path
   */
  static HostLock open(Path file) throws IOException {
    synchronized (OPEN) {
      Shared shared = OPEN.get(file);
      if (shared == null) {
        shared =
            new Shared(FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        OPEN.put(file, shared);
      }
      shared.users++;
      return new HostLock(file, shared);
    }
  }

  /** Waits for the lock, which the caller closes again on the same thread. */
  Held acquire() throws IOException {
    shared.threads.lock();
    try {
      return new Held(shared.threads, shared.channel.lock());
    } catch (Throwable e) {
      shared.threads.unlock();
      throw e;
    }
  }

  /** The lock, until it is closed. */
  record Held(ReentrantLock threads, @Nullable FileLock processes) implements Closeable {
    @Override
    public void close() throws IOException {
      try {
        if (processes != null) {
          processes.release();
        }
      } finally {
        threads.unlock();
      }
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (OPEN) {
      if (!isClosed) {
        isClosed = true;
        if (--shared.users == 0) {
          OPEN.remove(file);
          shared.channel.close();
        }
      }
    }
  }
}
