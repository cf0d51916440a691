package dev.weir.server.store;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
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

  /** The file of a segment, created when it does not exist. */
  DiskFile openOrCreate(long fileId) throws IOException {
    DiskFile open = files.get(fileId);
    if (open != null) {
      return open;
    }
    DiskFile file;
    try {
      file = disk.open(layout.segment(fileId));
    } catch (NoSuchFileException e) {
      file = disk.create(layout.segment(fileId));
    }
    files.put(fileId, file);
    if (files.size() > MAX_OPEN) {
      Map.Entry<Long, DiskFile> eldest = files.entrySet().iterator().next();
      files.remove(eldest.getKey());
      eldest.getValue().close();
    }
    return file;
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
