package dev.weir.lab.grpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A message that is read from its file when gRPC puts it into its buffers: the number of the piece,
 * its CRC32C, its bytes.
 */
final class OutgoingPiece extends InputStream implements Drainable, KnownLength {
  static final int HEAD_BYTES = 2 * Integer.BYTES;

  private static final int COPY_BYTES = 64 << 10;
  private static final ThreadLocal<byte[]> COPY =
      ThreadLocal.withInitial(() -> new byte[COPY_BYTES]);

  private final ContainerFiles files;
  private final int piece;
  private final int checksum;

  OutgoingPiece(ContainerFiles files, int piece, int checksum) {
    this.files = files;
    this.piece = piece;
    this.checksum = checksum;
  }

  @Override
  public int available() {
    return HEAD_BYTES + files.layout().length(piece);
  }

  @Override
  public int drainTo(OutputStream target) throws IOException {
    byte[] copy = COPY.get();
    ByteBuffer buffer = ByteBuffer.wrap(copy).putInt(piece).putInt(checksum);
    target.write(copy, 0, HEAD_BYTES);
    FileChannel file = files.of(piece);
    long position = files.layout().offset(piece);
    long end = position + files.layout().length(piece);
    while (position < end) {
      buffer.clear().limit((int) Math.min(COPY_BYTES, end - position));
      int count = file.read(buffer, position);
      if (count < 0) {
        throw new IOException("a file of the container has become shorter");
      }
      target.write(copy, 0, count);
      position += count;
    }
    return available();
  }

  /** Nobody reads it so: gRPC drains it. */
  @Override
  public int read() {
    throw new UnsupportedOperationException("drained, not read");
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    throw new UnsupportedOperationException("drained, not read");
  }
}
