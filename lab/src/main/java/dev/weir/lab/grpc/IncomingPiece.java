package dev.weir.lab.grpc;

import io.grpc.Detachable;
import io.grpc.HasByteBuffer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/** A message as it came, still in the transport's buffers. Written once, or closed. */
final class IncomingPiece {
  private static final int COPY_BYTES = 64 << 10;
  private static final ThreadLocal<byte[]> COPY =
      ThreadLocal.withInitial(() -> new byte[COPY_BYTES]);

  private final InputStream message;

  private IncomingPiece(InputStream message) {
    this.message = message;
  }

  static IncomingPiece from(InputStream stream) {
    return new IncomingPiece(((Detachable) stream).detach());
  }

  /**
   * Writes it to its file, and gives the buffers back.
   *
   * @return its bytes
   * @throws IOException if its CRC32C is not that of its sender, or its file fails
   */
  int writeTo(ContainerFiles files) throws IOException {
    try (message) {
      DataInputStream head = new DataInputStream(message);
      int piece = head.readInt();
      int checksum = head.readInt();
      int length = files.layout().length(piece);
      FileChannel file = files.of(piece);
      long position = files.layout().offset(piece);
      long end = position + length;
      CRC32C sum = new CRC32C();
      while (position < end) {
        ByteBuffer bytes = next((int) Math.min(COPY_BYTES, end - position));
        int count = bytes.remaining();
        sum.update(bytes.duplicate());
        while (bytes.hasRemaining()) {
          position += file.write(bytes, position);
        }
        if (bytes.isDirect()) {
          message.skipNBytes(count);
        }
      }
      if ((int) sum.getValue() != checksum) {
        throw new IOException("piece " + piece + " has another CRC32C than its sender says");
      }
      return length;
    }
  }

  /**
   * The next bytes: direct if they are the transport's own, to be skipped when they are written;
   * else a copy, where gRPC has put small buffers into arrays.
   */
  private ByteBuffer next(int most) throws IOException {
    HasByteBuffer direct = (HasByteBuffer) message;
    ByteBuffer bytes = direct.byteBufferSupported() ? direct.getByteBuffer() : null;
    if (bytes != null && bytes.isDirect()) {
      return bytes;
    }
    byte[] copy = COPY.get();
    int count = message.read(copy, 0, most);
    if (count <= 0) {
      throw new IOException("a message is too short");
    }
    return ByteBuffer.wrap(copy, 0, count);
  }
}
