package dev.weir.streams;

import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A file of the WAL, which changes are written to first. Frames gather in memory, go to the file in
 * large writes, and count once {@link #commit} has synced them; {@link #rollBack} takes back what
 * has not. For the committer's thread alone.
 *
 * <pre>
 * header: a frame whose body is the format's name, its version, the file's number, its key,
 *         the epoch of the store's owner, and the position of the first command
 * then:   a {@link SyncMark} at the start of each batch, and at a clean stop, and
 *         a frame for each command; its body is one or more mutations
 * </pre>
 *
 * Each command has a position in the WAL: they are counted from 1, through all files.
 */
final class Journal implements Closeable {
  private static final String FORMAT = "weir wal";
  private static final int VERSION = 3;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final DiskFile file;
  private final Header header;
  private final ByteBuffer pending;

  /** Written by the committer, read by whoever wants figures. */
  private volatile long durableBytes;

  private long writtenBytes;
  private long durablePosition;
  private long lastPosition;

  private Journal(
      DiskFile file, Header header, long durableBytes, long durablePosition, ByteBuffer pending) {
    this.file = file;
    this.header = header;
    this.durableBytes = durableBytes;
    this.writtenBytes = durableBytes;
    this.durablePosition = durablePosition;
    this.lastPosition = durablePosition;
    this.pending = pending;
  }

  /**
   * What a file says of itself.
   *
   * @param mark what its batches begin with
   * @param epoch of the store's owner when it was begun
   * @param firstPosition of its first command, or the next one's
   */
  record Header(long sequence, SyncMark mark, long epoch, long firstPosition) {}

  /**
   * Creates journal {@code sequence}, durably. What an attempt before may have left, which holds
   * nothing, makes way.
   *
   * @param buffer where frames gather; at least as large as the largest frame
   * @throws IOException when it cannot be made; nothing of it is left
   * @throws StoreFailedException when something of it may be left
   */
  static Journal create(
      Disk disk,
      StoreLayout layout,
      long sequence,
      long epoch,
      long firstPosition,
      ByteBuffer buffer)
      throws IOException {
    DiskFile file = null;
    try {
      disk.delete(layout.journal(sequence));
      file = disk.create(layout.journal(sequence));
      Header header = new Header(sequence, SyncMark.create(), epoch, firstPosition);
      Journal journal = new Journal(file, header, 0, firstPosition - 1, buffer.clear());
      journal.put(encode(header), NOTHING);
      journal.commit();
      disk.syncDirectory(layout.journalDirectory());
      return journal;
    } catch (Throwable e) {
      try {
        if (file != null) {
          file.close();
        }
      } catch (Throwable notClosed) {
        e.addSuppressed(notClosed);
      }
      try {
        remove(disk, layout, sequence);
      } catch (IOException notRemoved) {
        e.addSuppressed(notRemoved);
        throw new StoreFailedException(
            layout.journal(sequence) + " could be neither made nor removed: " + e.getMessage(), e);
      }
      throw e;
    }
  }

  /** For good: it does not return when power is lost. */
  private static void remove(Disk disk, StoreLayout layout, long sequence) throws IOException {
    disk.delete(layout.journal(sequence));
    disk.syncDirectory(layout.journalDirectory());
  }

  private static ByteBuffer encode(Header header) {
    return new RecordWriter()
        .putString(FORMAT)
        .putInt(VERSION)
        .putLong(header.sequence())
        .putLong(header.mark().key())
        .putLong(header.epoch())
        .putLong(header.firstPosition())
        .contents();
  }

  /** Nothing is written behind a file's header before that is durable. */
  static int headerBytes() {
    return FrameLayout.HEADER_BYTES + encode(new Header(0, new SyncMark(0), 0, 0)).remaining();
  }

  /** The header that a first frame is; null if it is none. */
  static @Nullable Header readHeader(ByteBuffer body, long sequence) {
    RecordReader in = new RecordReader(body);
    try {
      boolean isJournal = in.getString().equals(FORMAT) && in.getInt() == VERSION;
      if (!isJournal || in.getLong() != sequence) {
        return null;
      }
      return new Header(sequence, new SyncMark(in.getLong()), in.getLong(), in.getLong());
    } catch (BufferUnderflowException | IllegalStateException e) {
      return null;
    }
  }

  /** Goes on with a file of {@code durableBytes}, all of them whole frames and synced. */
  static Journal resume(
      Disk disk,
      StoreLayout layout,
      Header header,
      long durableBytes,
      long lastPosition,
      ByteBuffer buffer)
      throws IOException {
    DiskFile file = disk.open(layout.journal(header.sequence()));
    return new Journal(file, header, durableBytes, lastPosition, buffer.clear());
  }

  /**
   * Adds a command's frame, whose body is {@code head} followed by {@code tail}.
   *
   * @return where the tail begins in the file
   */
  long add(ByteBuffer head, ByteBuffer tail) throws IOException {
    int bodyBytes = head.remaining() + tail.remaining();
    if (bodyBytes > FrameLayout.MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "a journal frame of "
              + bodyBytes
              + " bytes is over the limit of "
              + FrameLayout.MAX_BODY_BYTES);
    }
    if (uncommittedBytes() == 0) {
      put(header.mark().at(durableBytes), NOTHING);
    }
    put(head, tail);
    lastPosition++;
    return writtenBytes + pending.position() - tail.remaining();
  }

  /** Says, durably, that all before is whole: what is torn after a clean stop is damage. */
  void markEnd() throws IOException {
    put(header.mark().at(durableBytes), NOTHING);
    commit();
  }

  private void put(ByteBuffer head, ByteBuffer tail) throws IOException {
    int bodyBytes = head.remaining() + tail.remaining();
    if (pending.remaining() < FrameLayout.HEADER_BYTES + bodyBytes) {
      write();
    }
    FrameLayout.putHeader(pending, bodyBytes, FrameLayout.checksum(head, tail));
    pending.put(head.duplicate()).put(tail.duplicate());
  }

  /** Bytes added since the last commit. */
  long uncommittedBytes() {
    return writtenBytes - durableBytes + pending.position();
  }

  long sizeBytes() {
    return durableBytes;
  }

  long sequence() {
    return header.sequence();
  }

  /** What it says of itself. */
  Header header() {
    return header;
  }

  /** The position of the newest command, durable or not. */
  long lastPosition() {
    return lastPosition;
  }

  /** Makes all frames added so far durable. After an error, {@link #rollBack} or give up. */
  void commit() throws IOException {
    write();
    file.sync();
    durableBytes = writtenBytes;
    durablePosition = lastPosition;
  }

  /**
   * Takes back the frames added since the last commit, for good: what they name may be deleted.
   * After an error, give up.
   */
  void rollBack() throws IOException {
    pending.clear();
    file.truncate(durableBytes);
    file.sync();
    writtenBytes = durableBytes;
    lastPosition = durablePosition;
  }

  private void write() throws IOException {
    pending.flip();
    int bytes = pending.remaining();
    try {
      file.write(pending, writtenBytes);
      writtenBytes += bytes;
    } finally {
      pending.clear();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
