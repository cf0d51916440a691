package dev.weir.server.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The journal in use, and its replacement by a new one when it has grown: the old ones are needed
 * until a {@link Checkpoint}, made in the background, has put all they hold elsewhere. For the
 * committer's thread alone.
 */
final class JournalSeries implements AutoCloseable {
  /** Bounds what a restart has to replay, about a second's worth. */
  static final long ROTATE_BYTES = 64 << 20;

  /** How much longer a journal grows before rotation is tried again after it failed. */
  private static final long RETRY_BYTES = 4 << 20;

  private static final System.Logger LOG = System.getLogger(JournalSeries.class.getName());

  private final Disk disk;
  private final StoreLayout layout;
  private final AtomicLong ids;
  private final Executor janitor;
  private final ByteBuffer buffer;
  private Journal current;
  private Set<Long> dirtyFiles;
  private List<Checkpoint> unfinished = new ArrayList<>();
  private long rotateAtBytes;

  JournalSeries(
      Disk disk,
      StoreLayout layout,
      AtomicLong ids,
      Executor janitor,
      ByteBuffer buffer,
      Journal current,
      Set<Long> dirtyFiles) {
    this.disk = disk;
    this.layout = layout;
    this.ids = ids;
    this.janitor = janitor;
    this.buffer = buffer;
    this.current = current;
    this.dirtyFiles = dirtyFiles;
    this.rotateAtBytes = current.hasKey() ? ROTATE_BYTES : 0;
  }

  static ByteBuffer newBuffer() {
    return ByteBuffer.allocateDirect(FrameLayout.HEADER_BYTES + FrameLayout.MAX_BODY_BYTES);
  }

  Journal current() {
    return current;
  }

  /** Notes that a segment has bytes that only the journal makes durable. */
  void markDirty(long fileId) {
    dirtyFiles.add(fileId);
  }

  /**
   * Starts a new journal when the current one is long enough, or has no key, and the last
   * checkpoint is done.
   */
  void rotateIfDue(Catalog catalog) {
    if (current.sizeBytes() >= rotateAtBytes
        && unfinished.stream().allMatch(Checkpoint::isFinished)) {
      rotate(catalog);
    }
  }

  /** Starts a new journal and has the old ones replaced by a snapshot. */
  void rotate(Catalog catalog) {
    // What a failed checkpoint did not sync, the next one has to.
    unfinished.stream().map(Checkpoint::unsyncedFiles).forEach(dirtyFiles::addAll);
    unfinished.removeIf(Checkpoint::isFinished);
    try {
      Journal next = Journal.create(disk, layout, current.sequence() + 1, buffer);
      current.close();
      current = next;
      rotateAtBytes = ROTATE_BYTES;
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING, "cannot start a new journal, going on with the old one", e);
      rotateAtBytes = current.sizeBytes() + RETRY_BYTES;
      return;
    }
    Checkpoint checkpoint =
        new Checkpoint(
            disk, layout, current.sequence(), ids.get(), Checkpoint.capture(catalog), dirtyFiles);
    dirtyFiles = new HashSet<>();
    unfinished.add(checkpoint);
    janitor.execute(checkpoint);
  }

  @Override
  public void close() throws IOException {
    current.close();
  }
}
