package dev.weir.streams;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Keeps a second node off a data directory; the operating system drops it when a process dies. */
record NodeLock(FileChannel channel) implements Closeable {
  static NodeLock acquire(StoreLayout layout) throws IOException {
    Path path = layout.lock();
    FileChannel channel;
    try {
      channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new DataDirectoryException(
          "cannot write to the data directory "
              + layout.root()
              + " ("
              + e.getClass().getSimpleName()
              + ": "
              + e.getMessage()
              + ")",
          e);
    }
    try {
      if (tryLock(channel) != null) {
        return new NodeLock(channel);
      }
      throw new DataDirectoryException(
          "the data directory "
              + layout.root()
              + " is in use by another node ("
              + path
              + " is locked); stop it or choose another --data");
    } catch (Throwable e) {
      channel.close();
      throw e;
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
