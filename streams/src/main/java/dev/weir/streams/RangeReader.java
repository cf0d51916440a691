package dev.weir.streams;

import dev.weir.cache.log.CachedBatch;
import dev.weir.cache.log.LogRead;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of a published state: its tail from memory, the rest from the WAL, spool files and
 * segments. One thread at a time. What is open stays readable when the stream is deleted meanwhile.
 */
public final class RangeReader implements Closeable {
  private final ReadPath path;
  private final StreamState state;
  private final long endOffset;
  private final ReadPath.Ahead ahead = new ReadPath.Ahead();
  private long offset;
  private @Nullable ReadPart part;

  RangeReader(ReadPath path, StreamState state, long fromOffset, long endOffset) {
    this.path = path;
    this.state = state;
    this.offset = fromOffset;
    this.endOffset = endOffset;
  }

  /** Bytes not yet read. */
  public long remaining() {
    return endOffset - offset;
  }

  /**
   * Reads what comes next, if it is in memory, as far as {@code target} has room. Never blocks on a
   * disk.
   *
   * @return false where nothing of it was in memory
   */
  public boolean readCached(ByteBuffer target) {
    ReadPath.Owner owner = path.owner(state, offset, endOffset);
    if (owner == null) {
      return false;
    }
    try (LogRead read =
        path.tail()
            .read(owner.streamId(), offset, owner.endOffset(), Math.max(1, target.remaining()))) {
      if (read.batches().isEmpty() || read.batches().getFirst().baseOffset() > offset) {
        return false;
      }
      for (CachedBatch batch : read.batches()) {
        copy(batch, owner.endOffset(), target);
      }
      return true;
    }
  }

  private void copy(CachedBatch batch, long end, ByteBuffer target) {
    long skipped = offset - batch.baseOffset();
    int bytes = (int) Math.min(Math.min(batch.endOffset(), end) - offset, target.remaining());
    MemorySegment from = batch.bytes().segment().asSlice(skipped, bytes);
    MemorySegment.copy(from, 0, MemorySegment.ofBuffer(target), 0, bytes);
    target.position(target.position() + bytes);
    offset += bytes;
  }

  private ReadPath.Owner owner() throws NoSuchFileException {
    ReadPath.Owner owner = path.owner(state, offset, endOffset);
    if (owner == null) {
      throw new NoSuchFileException("the source of " + state.path() + " is gone");
    }
    return owner;
  }

  /**
   * Reads until {@code target} is full or the range ends. Blocks.
   *
   * @throws NoSuchFileException when the stream was deleted before its bytes were opened
   * @throws IOException where they cannot be read, or are damaged
   */
  public void read(ByteBuffer target) throws IOException {
    while (target.hasRemaining() && offset < endOffset) {
      ReadPart current = part;
      if (current == null || offset >= current.endOffset()) {
        if (readCached(target)) {
          continue;
        }
        part = null;
        current = path.open(owner(), offset, ahead, current);
        part = current;
      }
      int before = target.position();
      int limit = target.limit();
      target.limit((int) Math.min(limit, before + (endOffset - offset)));
      current.read(target, offset);
      target.limit(limit);
      offset += target.position() - before;
    }
  }

  /**
   * What comes next, as a part of a segment's or a spool's file, which counts as read then. Blocks.
   *
   * @return null where it is elsewhere: {@link #read} it
   */
  public @Nullable FileStretch nextInFile(long maxBytes) throws IOException {
    if (offset >= endOffset) {
      return null;
    }
    ReadPart current = part;
    if (current == null || offset >= current.endOffset()) {
      part = null;
      current = path.open(owner(), offset, ahead, current);
      part = current;
    }
    FileStretch stretch = current.stretch(offset, Math.min(maxBytes, endOffset - offset));
    if (stretch != null) {
      offset += stretch.lengthBytes();
    }
    return stretch;
  }

  /** Whether a file or a page is open, so that closing may block. */
  public boolean isOpen() {
    return part != null;
  }

  @Override
  public void close() throws IOException {
    ReadPart open = part;
    part = null;
    if (open != null) {
      open.close();
    }
  }
}
