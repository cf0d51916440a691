package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads the frames of a file in order, up to its end or the first that is not whole. */
final class FrameReader {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final DiskFile file;
  private final long sizeBytes;
  private long position;

  FrameReader(DiskFile file, long startPosition) throws IOException {
    this.file = file;
    this.sizeBytes = file.sizeBytes();
    this.position = startPosition;
  }

  /** The next frame's body; null at the end of the file, or where a frame is torn. */
  @Nullable ByteBuffer next() throws IOException {
    ByteBuffer header = read(position, FrameLayout.HEADER_BYTES);
    if (header == null) {
      return null;
    }
    int bodyBytes = header.getInt();
    int checksum = header.getInt();
    if (bodyBytes < 0 || bodyBytes > FrameLayout.MAX_BODY_BYTES) {
      return null;
    }
    ByteBuffer body = read(position + FrameLayout.HEADER_BYTES, bodyBytes);
    if (body == null || FrameLayout.checksum(body, NOTHING) != checksum) {
      return null;
    }
    position += FrameLayout.HEADER_BYTES + bodyBytes;
    return body;
  }

  /** The end of the last whole frame. */
  long position() {
    return position;
  }

  long sizeBytes() {
    return sizeBytes;
  }

  /** Whether the file goes on after the last whole frame. */
  boolean isTorn() {
    return position < sizeBytes;
  }

  private @Nullable ByteBuffer read(long from, int bytes) throws IOException {
    return from + bytes > sizeBytes ? null : read(file, from, bytes);
  }

  /** So many bytes of a file; null where it ends before. */
  static @Nullable ByteBuffer read(DiskFile file, long from, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (file.read(buffer, from + buffer.position()) < 0) {
        return null;
      }
    }
    return buffer.flip();
  }
}
