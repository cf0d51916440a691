package dev.weir.streams;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of a published state, segment by segment. Methods block on the disk; one thread at
 * a time. The files stay readable while open, even when the stream is deleted meanwhile.
 */
public final class RangeReader implements Closeable {
  private final Disk disk;
  private final StoreLayout layout;
  private final StreamState state;
  private final long endOffset;
  private long offset;
  private int segmentIndex = -1;
  private @Nullable DiskFile file;

  RangeReader(Disk disk, StoreLayout layout, StreamState state, long fromOffset, long endOffset) {
    this.disk = disk;
    this.layout = layout;
    this.state = state;
    this.offset = fromOffset;
    this.endOffset = endOffset;
  }

  /** Bytes not yet read. */
  public long remaining() {
    return endOffset - offset;
  }

  /**
   * Reads until {@code target} is full or the range ends.
   *
   * @throws NoSuchFileException when the stream was deleted before its file was opened
   */
  public void read(ByteBuffer target) throws IOException {
    while (target.hasRemaining() && offset < endOffset) {
      DiskFile source = fileAt(offset);
      Segment segment = state.segments().get(segmentIndex);
      long segmentEnd = segment.startOffset() + state.segmentBytes(segmentIndex);
      long wanted = Math.min(Math.min(segmentEnd, endOffset) - offset, target.remaining());
      ByteBuffer part = target.slice(target.position(), (int) wanted);
      int read = source.read(part, offset - segment.startOffset());
      if (read <= 0) {
        throw new EOFException(
            layout.segment(segment.fileId()) + " is shorter than its stream " + state.path());
      }
      offset += read;
      target.position(target.position() + read);
    }
  }

  private DiskFile fileAt(long position) throws IOException {
    int index = segmentIndex;
    if (index >= 0 && file != null && position < endOf(index)) {
      return file;
    }
    int next = index < 0 ? state.segmentIndex(position) : index + 1;
    close();
    DiskFile opened = disk.openForReading(layout.segment(state.segments().get(next).fileId()));
    segmentIndex = next;
    file = opened;
    return opened;
  }

  private long endOf(int index) {
    return state.segments().get(index).startOffset() + state.segmentBytes(index);
  }

  @Override
  public void close() throws IOException {
    DiskFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
