package dev.weir.streams;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The frame around every record in a journal or snapshot.
 *
 * <pre>
 * 0        4        8                 8 + length
 * +--------+--------+-----------------+
 * | length | crc32c | body            |   big-endian; the checksum covers length and body
 * +--------+--------+-----------------+
 * </pre>
 *
 * A frame is there whole or not at all: what a crash left half-written fails the checksum.
 */
final class FrameLayout {
  static final int HEADER_BYTES = 8;

  /** Above the largest body: a small append, the longest path and headers, rounded up. */
  static final int MAX_BODY_BYTES = 4 << 20;

  private FrameLayout() {}

  static void putHeader(ByteBuffer target, int bodyBytes, int checksum) {
    target.putInt(bodyBytes).putInt(checksum);
  }

  /** The checksum of a body in two parts. Leaves the buffers' positions alone. */
  static int checksum(ByteBuffer head, ByteBuffer tail) {
    int bodyBytes = head.remaining() + tail.remaining();
    CRC32C crc = new CRC32C();
    crc.update(bodyBytes >>> 24);
    crc.update(bodyBytes >>> 16);
    crc.update(bodyBytes >>> 8);
    crc.update(bodyBytes);
    crc.update(head.duplicate());
    crc.update(tail.duplicate());
    return (int) crc.getValue();
  }
}
