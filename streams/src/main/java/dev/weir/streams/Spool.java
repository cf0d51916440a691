package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a body too large for memory into a file of its own, while other appends to the same stream
 * go on. Once complete and accepted, the file stays until its bytes are flushed; otherwise it is
 * deleted. Methods block on the disk; one thread at a time.
 */
public final class Spool {
  private final Disk disk;
  private final StoreLayout layout;
  private final long fileId;
  private final LongConsumer deleter;
  private final StoreStats stats;
  private final UnflushedLimits limits;
  private @Nullable DiskFile file;
  private long bytes;
  private volatile boolean kept;

  Spool(
      Disk disk,
      StoreLayout layout,
      long fileId,
      LongConsumer deleter,
      StoreStats stats,
      UnflushedLimits limits) {
    this.disk = disk;
    this.layout = layout;
    this.fileId = fileId;
    this.deleter = deleter;
    this.stats = stats;
    this.limits = limits;
  }

  /**
   * Adds {@code source}'s remaining bytes; after an error, {@link #abort}.
   *
   * @throws UnflushedFullException when so much may not wait for the object store
   */
  public void write(ByteBuffer source) throws IOException {
    limits.checkBytes(bytes + source.remaining());
    DiskFile target = file;
    try {
      if (target == null) {
        target = disk.create(layout.spooled(fileId));
        file = target;
      }
      int more = source.remaining();
      target.write(source, bytes);
      bytes += more;
    } catch (IOException e) {
      throw StorageFullException.wrap(e);
    }
  }

  public long bytes() {
    return bytes;
  }

  /** Makes the bytes durable; at least one must have been written. After an error, abort. */
  public Payload finish() throws IOException {
    DiskFile target = file;
    if (target == null) {
      throw new IllegalStateException("nothing was written");
    }
    try {
      target.sync();
      stats.spoolSyncs.increment();
      target.close();
      disk.syncDirectory(layout.spoolDirectory());
    } catch (IOException e) {
      throw StorageFullException.wrap(e);
    }
    return new Payload.Spooled(this, fileId, bytes);
  }

  /** Leaves no trace of the body. */
  public void abort() {
    DiskFile target = file;
    if (target != null) {
      file = null;
      try {
        target.close();
      } catch (IOException e) {
        // The file is deleted next; what it could not flush does not matter.
      }
      deleter.accept(fileId);
    }
  }

  /** The file is part of a stream from now on, or nobody knows before the next start. */
  void keep() {
    kept = true;
  }

  void abandonUnlessKept() {
    if (!kept) {
      deleter.accept(fileId);
    }
  }
}
