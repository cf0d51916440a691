package dev.weir.streams.segments;

import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectContent.InFile;
import dev.weir.streams.objects.ObjectContent.InMemory;
import dev.weir.streams.objects.ObjectContent.Part;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts a segment together from bytes that stay where they are: in memory, or in spool files. Bytes
 * are read once, for their checksums, and not copied. For one thread.
 */
public final class SegmentWriter {
  private static final int FILE_BUFFER_BYTES = 256 << 10;

  private final SegmentId id;
  private final List<Part> parts = new ArrayList<>();
  private final List<Extent> extents = new ArrayList<>();
  private final StrideChecksums checksums = new StrideChecksums();
  private long dataBytes;

  /** Begins an empty segment. */
  public SegmentWriter(SegmentId id) {
    this.id = id;
  }

  /**
   * A segment that is ready to be stored.
   *
   * @param content data, footer and trailer; its memory and files belong to the caller
   * @param footer what lies in it, and its checksums
   */
  public record Finished(ObjectContent content, SegmentFooter footer) {
    /** Its name. */
    public SegmentId id() {
      return footer.id();
    }
  }

  /** Bytes of streams so far. */
  public long dataBytes() {
    return dataBytes;
  }

  /**
   * Adds a stretch of a stream. Stretches come sorted by stream, then by offset.
   *
   * @param bytes stay as they are until the segment is stored
   * @throws IOException where a spool file cannot be read, or is too short
   */
  public void add(long streamId, long startOffset, List<Part> bytes) throws IOException {
    long length = new ObjectContent(bytes).lengthBytes();
    if (length == 0) {
      return;
    }
    if (length > SegmentLayout.MAX_DATA_BYTES - dataBytes) {
      throw new IllegalArgumentException("a segment of more than 4 GiB");
    }
    addExtent(streamId, startOffset, length);
    for (Part part : bytes) {
      switch (part) {
        case InMemory memory -> addMemory(memory.bytes());
        case InFile file -> addFile(file);
      }
      parts.add(part);
      dataBytes += part.lengthBytes();
    }
  }

  /** Ends the segment. */
  public Finished finish() {
    SegmentFooter footer = new SegmentFooter(id, dataBytes, checksums.finish(), extents);
    parts.add(new InMemory(MemorySegment.ofArray(SegmentLayout.encode(footer))));
    return new Finished(new ObjectContent(parts), footer);
  }

  private void addExtent(long streamId, long startOffset, long length) {
    Extent last = extents.isEmpty() ? null : extents.getLast();
    if (last != null && last.isContinuedBy(streamId, startOffset, dataBytes)) {
      Extent longer =
          new Extent(streamId, last.startOffset(), last.position(), last.lengthBytes() + length);
      extents.set(extents.size() - 1, longer);
      return;
    }
    if (last != null
        && (streamId < last.streamId()
            || (streamId == last.streamId() && startOffset < last.endOffset()))) {
      throw new IllegalArgumentException("stream %d is not sorted".formatted(streamId));
    }
    extents.add(new Extent(streamId, startOffset, dataBytes, length));
  }

  private void addMemory(MemorySegment bytes) {
    // A buffer ends at 2 GiB.
    for (long from = 0; from < bytes.byteSize(); from += 1 << 30) {
      long length = Math.min(1 << 30, bytes.byteSize() - from);
      checksums.update(bytes.asSlice(from, length).asByteBuffer());
    }
  }

  private void addFile(InFile part) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(FILE_BUFFER_BYTES, part.lengthBytes()));
    try (FileChannel channel = FileChannel.open(part.file(), StandardOpenOption.READ)) {
      long end = part.offset() + part.lengthBytes();
      long position = part.offset();
      while (position < end) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), end - position));
        int read = channel.read(buffer, position);
        if (read <= 0) {
          throw new EOFException(part.file() + " is shorter than what was appended from it");
        }
        position += read;
        checksums.update(buffer.flip());
      }
    }
  }
}
