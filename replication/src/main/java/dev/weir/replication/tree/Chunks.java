package dev.weir.replication.tree;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/** Checksums of chunks that are in files. For one thread. */
public final class Chunks {
  private final ByteBuffer buffer;
  private final CRC32C crc = new CRC32C();
  private boolean zeros;

  /**
   * Reads through a buffer.
   *
   * @param buffer stays the caller's; a few hundred kilobytes stay in the caches of a processor
   */
  public Chunks(ByteBuffer buffer) {
    this.buffer = buffer;
  }

  /**
   * Reads a chunk.
   *
   * @return its CRC32C
   * @throws EOFException when the file ends before it does
   */
  public int read(FileChannel file, long offset, int bytes) throws IOException {
    crc.reset();
    zeros = true;
    int done = 0;
    while (done < bytes) {
      buffer.clear().limit(Math.min(buffer.capacity(), bytes - done));
      int count = file.read(buffer, offset + done);
      if (count < 0) {
        throw new EOFException();
      }
      buffer.flip();
      zeros = zeros && isZero(buffer);
      crc.update(buffer);
      done += count;
    }
    return (int) crc.getValue();
  }

  /** Whether the last chunk was nothing but zeros. */
  public boolean wasZero() {
    return zeros;
  }

  private static boolean isZero(ByteBuffer bytes) {
    int position = bytes.position();
    for (; bytes.limit() - position >= Long.BYTES; position += Long.BYTES) {
      if (bytes.getLong(position) != 0) {
        return false;
      }
    }
    for (; position < bytes.limit(); position++) {
      if (bytes.get(position) != 0) {
        return false;
      }
    }
    return true;
  }
}
