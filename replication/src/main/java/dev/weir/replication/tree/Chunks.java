package dev.weir.replication.tree;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/** Checksums of chunks that are in files. For one thread. */
public final class Chunks {
  private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[8 << 10]);

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
    MemorySegment content = MemorySegment.ofBuffer(bytes);
    for (long offset = 0; offset < content.byteSize(); offset += ZEROS.byteSize()) {
      long length = Math.min(ZEROS.byteSize(), content.byteSize() - offset);
      if (content.asSlice(offset, length).mismatch(ZEROS.asSlice(0, length)) != -1) {
        return false;
      }
    }
    return true;
  }
}
