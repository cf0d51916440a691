package dev.weir.streams;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file with positioned access. Reads may run concurrently; one thread writes at a time. */
public interface DiskFile extends Closeable {
  /** Writes all remaining bytes of {@code source} at {@code positionBytes}. */
  void write(ByteBuffer source, long positionBytes) throws IOException;

  /** Reads up to {@code target.remaining()} bytes; −1 at the end of the file. */
  int read(ByteBuffer target, long positionBytes) throws IOException;

  /** Makes what was written, and the file's length, durable. */
  void sync() throws IOException;

  /** Cuts the file to {@code sizeBytes}; a shorter file stays as it is. */
  void truncate(long sizeBytes) throws IOException;

  long sizeBytes() throws IOException;
}
