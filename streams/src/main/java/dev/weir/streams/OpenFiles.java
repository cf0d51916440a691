package dev.weir.streams;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The segment files that the committer writes to, kept open between appends; the one unused longest
 * is closed when there are too many. For one thread.
 */
final class OpenFiles implements AutoCloseable {
  /** Well below the usual limit of 1,024 descriptors, which connections and readers share. */
  private static final int MAX_OPEN = 256;

  private static final System.Logger LOG = System.getLogger(OpenFiles.class.getName());

  private final Disk disk;
  private final StoreLayout layout;
  private final LinkedHashMap<Long, DiskFile> files =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);

  OpenFiles(Disk disk, StoreLayout layout) {
    this.disk = disk;
    this.layout = layout;
  }

  /**
   * The file of a segment, for its next bytes: created for the first ones when it does not exist.
   *
   * @throws LostBytesException if bytes are missing in front of {@code position}, where a write
   *     would leave a hole
   */
  DiskFile toWriteAt(long fileId, long position) throws IOException {
    DiskFile open = files.get(fileId);
    if (open != null) {
      return open;
    }
    Path path = layout.segment(fileId);
    DiskFile file;
    try {
      file = disk.open(path);
    } catch (NoSuchFileException missing) {
      if (position > 0) {
        throw new LostBytesException(path, 0, position);
      }
      file = disk.create(path);
    }
    checkLength(path, file, position);
    files.put(fileId, file);
    if (files.size() > MAX_OPEN) {
      Map.Entry<Long, DiskFile> eldest = files.entrySet().iterator().next();
      files.remove(eldest.getKey());
      eldest.getValue().close();
    }
    return file;
  }

  private static void checkLength(Path path, DiskFile file, long position) throws IOException {
    boolean isWhole = false;
    try {
      long bytes = position == 0 ? 0 : file.sizeBytes();
      if (bytes < position) {
        throw new LostBytesException(path, bytes, position);
      }
      isWhole = true;
    } finally {
      if (!isWhole) {
        file.close();
      }
    }
  }

  /** Closes the file of a segment that is to be deleted. */
  void forget(long fileId) {
    DiskFile file = files.remove(fileId);
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        LOG.log(System.Logger.Level.DEBUG, "closing a segment that is to be deleted", e);
      }
    }
  }

  /** Gives back the room of bytes that did not become part of the stream, as far as possible. */
  void cut(long fileId, long sizeBytes) {
    DiskFile file = files.get(fileId);
    if (file != null) {
      try {
        file.truncate(sizeBytes);
      } catch (IOException e) {
        LOG.log(System.Logger.Level.DEBUG, "cutting a segment after a failed write", e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (DiskFile file : files.values()) {
      file.close();
    }
    files.clear();
  }
}
