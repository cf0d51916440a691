package dev.weir.streams;

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
 *
 * <p>Only the newest journal is written to. So a start that finds a later one, whatever is in it,
 * knows that the one before is whole, and takes anything torn in it for damage: what is left of a
 * rotation that failed is removed for good before the old journal goes on, or it does not go on.
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
  private boolean failedBefore;

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
   * checkpoint is done. Where that failed, it is tried again when the journal has grown by some
   * more; one without a key is not to, so after each batch.
   *
   * @throws StoreFailedException as {@link #rotate}
   */
  void rotateIfDue(Catalog catalog) throws StoreFailedException {
    if (current.sizeBytes() >= rotateAtBytes
        && unfinished.stream().allMatch(Checkpoint::isFinished)) {
      rotate(catalog);
    }
  }

  /**
   * Starts a new journal and has the old ones replaced by a snapshot. Where it cannot be made, the
   * old one goes on.
   *
   * @throws StoreFailedException when the old one may not go on: something of the new one is left
   */
  void rotate(Catalog catalog) throws StoreFailedException {
    // What a failed checkpoint did not sync, the next one has to.
    unfinished.stream().map(Checkpoint::unsyncedFiles).forEach(dirtyFiles::addAll);
    unfinished.removeIf(Checkpoint::isFinished);
    Journal old = current;
    try {
      current = Journal.create(disk, layout, old.sequence() + 1, buffer);
    } catch (StoreFailedException leftBehind) {
      throw leftBehind;
    } catch (IOException e) {
      LOG.log(
          failedBefore && !old.hasKey() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
          "cannot start a new journal, going on with the old one",
          e);
      failedBefore = true;
      rotateAtBytes = current.sizeBytes() + (old.hasKey() ? RETRY_BYTES : 1);
      return;
    }
    failedBefore = false;
    rotateAtBytes = ROTATE_BYTES;
    closeWhole(old);
    Checkpoint checkpoint =
        new Checkpoint(
            disk,
            layout,
            current.sequence(),
            ids.get(),
            Checkpoint.capture(catalog),
            dirtyFiles,
            catalog::isReferenced);
    dirtyFiles = new HashSet<>();
    unfinished.add(checkpoint);
    janitor.execute(checkpoint);
  }

  private static void closeWhole(Journal old) {
    try {
      old.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "closing a journal of which all is durable", e);
    }
  }

  @Override
  public void close() throws IOException {
    current.close();
  }
}
