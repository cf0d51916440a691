package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file of the operating system. */
record ChannelFile(FileChannel channel) implements DiskFile {
  /**
   * The most of a heap buffer at once: the JDK copies it through a direct one, which it keeps for
   * the thread as long as that lives, as large as the largest there was.
   */
  private static final int MAX_COPIED_BYTES = 64 << 10;

  @Override
  public void write(ByteBuffer source, long positionBytes) throws IOException {
    long position = positionBytes;
    int end = source.limit();
    while (source.position() < end) {
      try {
        position += channel.write(firstOf(source), position);
      } finally {
        source.limit(end);
      }
    }
  }

  @Override
  public int read(ByteBuffer target, long positionBytes) throws IOException {
    int end = target.limit();
    try {
      return channel.read(firstOf(target), positionBytes);
    } finally {
      target.limit(end);
    }
  }

  /** Limits a buffer to what may go at once. */
  private static ByteBuffer firstOf(ByteBuffer buffer) {
    return buffer.isDirect() || buffer.remaining() <= MAX_COPIED_BYTES
        ? buffer
        : buffer.limit(buffer.position() + MAX_COPIED_BYTES);
  }

  @Override
  public void sync() throws IOException {
    // fdatasync: it covers the length, which is the only metadata that the store needs.
    channel.force(false);
  }

  @Override
  public void truncate(long sizeBytes) throws IOException {
    channel.truncate(sizeBytes);
  }

  @Override
  public long sizeBytes() throws IOException {
    return channel.size();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
