package dev.weir.streams;

import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The file that changes are written to first. Frames gather in memory, go to the file in large
 * writes, and count once {@link #commit} has synced them; {@link #rollBack} takes back what has
 * not. For the committer's thread alone.
 *
 * <pre>
 * header: a frame whose body is the format's name, its version, the journal's number, and its key
 * then:   a {@link SyncMark} at the start of each batch, and
 *         a frame for each command; its body is one or more mutations
 * </pre>
 *
 * Version 1 had neither key nor marks; such a journal is followed by the next before it is written
 * to, where there is room for one.
 */
final class Journal implements Closeable {
  private static final String FORMAT = "weir journal";
  private static final int VERSION = 2;
  private static final int VERSION_WITHOUT_KEY = 1;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final DiskFile file;
  private final long sequence;
  private final SyncMark mark;
  private final ByteBuffer pending;
  private long durableBytes;
  private long writtenBytes;

  private Journal(
      DiskFile file, long sequence, SyncMark mark, long durableBytes, ByteBuffer pending) {
    this.file = file;
    this.sequence = sequence;
    this.mark = mark;
    this.durableBytes = durableBytes;
    this.writtenBytes = durableBytes;
    this.pending = pending;
  }

  /**
   * Creates journal {@code sequence}, durably. What an attempt before may have left, which holds
   * nothing, makes way.
   *
   * @param buffer where frames gather; at least as large as the largest frame
   * @throws IOException when it cannot be made; nothing of it is left
   * @throws StoreFailedException when something of it may be left
   */
  static Journal create(Disk disk, StoreLayout layout, long sequence, ByteBuffer buffer)
      throws IOException {
    DiskFile file = null;
    try {
      disk.delete(layout.journal(sequence));
      file = disk.create(layout.journal(sequence));
      SyncMark mark = SyncMark.create();
      Journal journal = new Journal(file, sequence, mark, 0, buffer.clear());
      journal.put(header(sequence, mark), NOTHING);
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

  private static ByteBuffer header(long sequence, SyncMark mark) {
    return new RecordWriter()
        .putString(FORMAT)
        .putInt(VERSION)
        .putLong(sequence)
        .putLong(mark.key())
        .contents();
  }

  /** Nothing is written behind a journal's header before that is durable. */
  static int headerBytes() {
    return FrameLayout.HEADER_BYTES + header(0, SyncMark.WITHOUT_KEY).remaining();
  }

  /** The marks of the journal that a first frame is the header of; null if it is none. */
  static @Nullable SyncMark readHeader(ByteBuffer body, long sequence) {
    RecordReader header = new RecordReader(body);
    try {
      boolean isJournal = header.getString().equals(FORMAT);
      int version = header.getInt();
      if (!isJournal || header.getLong() != sequence) {
        return null;
      }
      return switch (version) {
        case VERSION -> new SyncMark(header.getLong());
        case VERSION_WITHOUT_KEY -> SyncMark.WITHOUT_KEY;
        default -> null;
      };
    } catch (BufferUnderflowException | IllegalStateException e) {
      return null;
    }
  }

  /** Goes on with a journal of {@code durableBytes}, all of them whole frames and synced. */
  static Journal resume(
      Disk disk,
      StoreLayout layout,
      long sequence,
      SyncMark mark,
      long durableBytes,
      ByteBuffer buffer)
      throws IOException {
    DiskFile file = disk.open(layout.journal(sequence));
    return new Journal(file, sequence, mark, durableBytes, buffer.clear());
  }

  /** Adds a frame whose body is {@code head} followed by {@code tail}. */
  void add(ByteBuffer head, ByteBuffer tail) throws IOException {
    int bodyBytes = head.remaining() + tail.remaining();
    if (bodyBytes > FrameLayout.MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "a journal frame of "
              + bodyBytes
              + " bytes is over the limit of "
              + FrameLayout.MAX_BODY_BYTES);
    }
    if (uncommittedBytes() == 0) {
      put(mark.at(durableBytes), NOTHING);
    }
    put(head, tail);
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
    return sequence;
  }

  /** Whether nobody but the node can write what looks like a mark. */
  boolean hasKey() {
    return !mark.equals(SyncMark.WITHOUT_KEY);
  }

  /** Makes all frames added so far durable. After an error, {@link #rollBack} or give up. */
  void commit() throws IOException {
    write();
    file.sync();
    durableBytes = writtenBytes;
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
