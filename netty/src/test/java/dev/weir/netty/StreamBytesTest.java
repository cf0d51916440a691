package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bytes from and to streams, in chunks. */
class StreamBytesTest {
  private static final int CHUNK = 64 << 10;

  /** As many bytes as an integer counts: their last chunk is not a whole one. */
  private final WeirAllocator allocator = WeirAllocator.withLimit(3L << 30);

  @AfterEach
  void close() {
    allocator.close();
  }

  @Test
  void asManyBytesAsAnIntegerCountsAreWritten() throws IOException {
    ByteBuf buffer = allocator.directBuffer(Integer.MAX_VALUE).writerIndex(Integer.MAX_VALUE);
    CountingStream out = new CountingStream();

    buffer.readBytes(out, Integer.MAX_VALUE);

    assertThat(out.bytes).isEqualTo(Integer.MAX_VALUE);
    assertThat(buffer.isReadable()).isFalse();
    buffer.release();
  }

  private static final class CountingStream extends OutputStream {
    private long bytes;

    @Override
    public void write(int one) {
      bytes++;
    }

    @Override
    public void write(byte[] source, int from, int length) {
      bytes += length;
    }
  }

  /** Gives its bytes, and fails then. */
  private static final class FailingStream extends ByteArrayInputStream {
    FailingStream(byte[] bytes) {
      super(bytes);
    }

    @Override
    public synchronized int read(byte[] target, int from, int length) {
      int read = super.read(target, from, length);
      if (read < 0) {
        throw new UncheckedFailure();
      }
      return read;
    }

    @Override
    public synchronized int available() {
      return 1;
    }
  }

  private static final class UncheckedFailure extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static InputStream failingBehind(byte[] bytes) {
    InputStream given = new FailingStream(bytes);
    return new InputStream() {
      @Override
      public int read() {
        throw new UnsupportedOperationException();
      }

      @Override
      public int read(byte[] target, int from, int length) throws IOException {
        try {
          return given.read(target, from, length);
        } catch (UncheckedFailure e) {
          throw new IOException("planted", e);
        }
      }

      @Override
      public int available() throws IOException {
        return given.available();
      }
    };
  }

  @Test
  void whatAStreamHasGivenBeforeItFailsIsThere() throws IOException {
    byte[] bytes = new byte[2 * CHUNK];
    bytes[bytes.length - 1] = 7;
    InputStream in = failingBehind(bytes);
    ByteBuf buffer = allocator.directBuffer(3 * CHUNK);

    assertThat(buffer.writeBytes(in, 3 * CHUNK)).isEqualTo(2 * CHUNK);

    assertThat(buffer.writerIndex()).isEqualTo(2 * CHUNK);
    assertThat(buffer.getByte(2 * CHUNK - 1)).isEqualTo((byte) 7);
    assertThatThrownBy(() -> buffer.writeBytes(in, CHUNK)).isInstanceOf(IOException.class);
    buffer.release();
  }

  @Test
  void theEndOfAStreamIsToldByTheFirstChunkAlone() throws IOException {
    ByteBuf buffer = allocator.directBuffer(3 * CHUNK);
    InputStream in = new ByteArrayInputStream(new byte[2 * CHUNK + 10]);

    assertThat(buffer.writeBytes(in, 3 * CHUNK)).isEqualTo(2 * CHUNK + 10);
    assertThat(buffer.writeBytes(in, 10)).isEqualTo(-1);
    buffer.release();
  }
}
