package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A heap buffer goes to the JDK in pieces: for a thread it keeps a native copy as large as the
 * largest heap buffer that it was ever given, in no figure and under no limit.
 */
class ChannelFileTest {
  private static final int MAX_PIECE_BYTES = 64 << 10;

  private final MemoryChannel channel = new MemoryChannel();
  private final DiskFile file = new ChannelFile(channel);
  private final byte[] bytes = new byte[(1 << 20) + 1];

  private void roundTrip(ByteBuffer source, ByteBuffer target) throws IOException {
    file.write(source, 3);
    assertThat(source.hasRemaining()).isFalse();
    while (target.hasRemaining()) {
      assertThat(file.read(target, 3 + target.position())).isPositive();
    }
    byte[] read = new byte[bytes.length];
    target.flip().get(read);
    assertThat(read).isEqualTo(bytes);
    assertThat(file.read(ByteBuffer.allocate(1), 3 + bytes.length)).isNegative();
  }

  @Test
  void aHeapBufferGoesInPieces() throws IOException {
    new Random(1).nextBytes(bytes);
    roundTrip(ByteBuffer.wrap(bytes), ByteBuffer.allocate(bytes.length));
    assertThat(channel.largestBytes).isEqualTo(MAX_PIECE_BYTES);
  }

  @Test
  void aDirectBufferGoesWhole() throws IOException {
    new Random(2).nextBytes(bytes);
    ByteBuffer source = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    roundTrip(source, ByteBuffer.allocateDirect(bytes.length));
    assertThat(channel.largestBytes).isEqualTo(bytes.length);
  }

  /** A file in memory that takes, and gives, a third less than it is asked for. */
  private static final class MemoryChannel extends FileChannel {
    private byte[] contents = new byte[0];
    private int largestBytes;

    private int granted(ByteBuffer buffer) {
      largestBytes = Math.max(largestBytes, buffer.remaining());
      return buffer.remaining() - buffer.remaining() / 3;
    }

    @Override
    public int write(ByteBuffer source, long position) {
      byte[] part = new byte[granted(source)];
      source.get(part);
      int end = Math.toIntExact(position) + part.length;
      contents = Arrays.copyOf(contents, Math.max(contents.length, end));
      System.arraycopy(part, 0, contents, (int) position, part.length);
      return part.length;
    }

    @Override
    public int read(ByteBuffer target, long position) {
      if (position >= contents.length) {
        return -1;
      }
      int bytes = Math.min(granted(target), contents.length - Math.toIntExact(position));
      target.put(contents, (int) position, bytes);
      return bytes;
    }

    @Override
    public int read(ByteBuffer target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long newPosition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long size() {
      return contents.length;
    }

    @Override
    public FileChannel truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void force(boolean metaData) {}

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseChannel() {}
  }
}
