package dev.weir.compression.codec;

import io.netty.buffer.ByteBuf;

/** Which buffers native code can work on. */
public final class DirectBuffers {
  private DirectBuffers() {}

  /** Whether a buffer is one piece of memory outside the Java heap. */
  public static boolean isUsable(ByteBuf buffer) {
    return buffer.isDirect() && buffer.nioBufferCount() == 1;
  }

  /**
   * Checks that {@link #isUsable}.
   *
   * @throws IllegalArgumentException if not
   */
  public static ByteBuf require(ByteBuf buffer) {
    if (!isUsable(buffer)) {
      throw new IllegalArgumentException(
          "not one piece of direct memory, copy it to one first: " + buffer);
    }
    return buffer;
  }
}
