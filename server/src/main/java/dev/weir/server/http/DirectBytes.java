package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * Buffers outside the pool for what is sent as it is. A transport copies what is not direct into
 * one of the pool's, and fails where the pool is full.
 */
final class DirectBytes {
  private DirectBytes() {}

  /** The parts one after the other. */
  static ByteBuf of(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length = Math.addExact(length, part.length);
    }
    ByteBuf all = Unpooled.directBuffer(Math.max(1, length));
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all;
  }

  /** ASCII that is sent again and again, as duplicates, and never released. */
  static ByteBuf constant(String text) {
    ByteBuf bytes = of(text.getBytes(StandardCharsets.US_ASCII));
    return Unpooled.unreleasableBuffer(bytes).asReadOnly();
  }
}
