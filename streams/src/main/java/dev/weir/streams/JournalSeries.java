package dev.weir.streams;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The WAL on the disk: the file in use, and those before it, which are deleted when everything in
 * them is flushed. All but {@link #cut} and {@link #bytes} is for the committer's thread.
 *
 * <p>Only the newest file is written to. So a start that finds a later one, whatever is in it,
 * knows that the one before is whole, and takes anything torn in it for damage: what is left of a
 * rotation that failed is removed for good before the old file goes on, or it does not go on.
 */
final class JournalSeries implements Closeable {
  private static final System.Logger LOG = System.getLogger(JournalSeries.class.getName());

  private final Disk disk;
  private final StoreLayout layout;
  private final ByteBuffer buffer;

  /** Files that are written no more, by their numbers: under this object's lock. */
  private final TreeMap<Long, Old> older = new TreeMap<>();

  private final AtomicLong olderBytes = new AtomicLong();
  private volatile Journal current;

  /** A file that is whole: up to which position, and how long it is. */
  record Old(long lastPosition, long sizeBytes) {}

  JournalSeries(
      Disk disk,
      StoreLayout layout,
      ByteBuffer buffer,
      Journal current,
      SortedMap<Long, Old> older) {
    this.disk = disk;
    this.layout = layout;
    this.buffer = buffer;
    this.current = current;
    older.forEach(this::addOlder);
  }

  static ByteBuffer newBuffer() {
    return ByteBuffer.allocateDirect(FrameLayout.HEADER_BYTES + FrameLayout.MAX_BODY_BYTES);
  }

  private synchronized void addOlder(long sequence, Old file) {
    older.put(sequence, file);
    olderBytes.addAndGet(file.sizeBytes());
  }

  Journal current() {
    return current;
  }

  /** What all files take; any thread may ask. */
  long bytes() {
    return olderBytes.get() + current.sizeBytes();
  }

  /**
   * Starts a new file, so that the old one can be deleted as a whole; there must be nothing
   * uncommitted. Where none can be made, the old one goes on.
   *
   * @throws StoreFailedException when the old one may not go on: something of the new one is left
   */
  void rotate() throws StoreFailedException {
    Journal old = current;
    if (old.lastPosition() < old.header().firstPosition()) {
      return;
    }
    try {
      current =
          Journal.create(
              disk,
              layout,
              old.sequence() + 1,
              old.header().epoch(),
              old.lastPosition() + 1,
              buffer);
    } catch (StoreFailedException leftBehind) {
      throw leftBehind;
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "cannot start a new file of the WAL, going on with the old one: {0}",
          e.getMessage());
      return;
    }
    addOlder(old.sequence(), new Old(old.lastPosition(), old.sizeBytes()));
    closeWhole(old);
  }

  private static void closeWhole(Journal old) {
    try {
      old.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "closing a file of the WAL, all of it durable", e);
    }
  }

  /**
   * Deletes the files that have nothing beyond a position, which is flushed. One that cannot be
   * deleted is tried again by the next cut, and by the next start. Any thread.
   */
  synchronized void cut(long flushedPosition) {
    Iterator<Map.Entry<Long, Old>> files = older.entrySet().iterator();
    while (files.hasNext()) {
      Map.Entry<Long, Old> file = files.next();
      if (file.getValue().lastPosition() > flushedPosition) {
        return;
      }
      try {
        disk.delete(layout.journal(file.getKey()));
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "cannot delete a file of the WAL", e);
        return;
      }
      olderBytes.addAndGet(-file.getValue().sizeBytes());
      files.remove();
    }
  }

  @Override
  public void close() throws IOException {
    current.close();
  }
}
