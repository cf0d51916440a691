package dev.weir.compression.codec;

import io.netty.buffer.ByteBuf;

/**
 * Compresses one stream. Owned by one thread at a time; handing it to another needs the usual
 * happens-before edge. It keeps no reference to a buffer beyond the call.
 */
public interface Encoder extends AutoCloseable {
  /**
   * Compresses from the readable bytes of one buffer into the writable bytes of another, as far as
   * these go, and advances both indices. The target does not grow.
   *
   * @param source direct, and in one piece ({@link DirectBuffers#isUsable})
   * @param target the same
   * @return whether the step is done: the source has been taken, and after {@link Step#FLUSH} and
   *     {@link Step#END} all of it is in the targets; otherwise call again, the same step, with
   *     room in the target
   * @throws CodecException if the library fails; then the encoder is of no further use
   * @throws IllegalStateException if it has been closed
   */
  boolean encode(ByteBuf source, ByteBuf target, Step step);

  /** Gives its memory back. Further calls do nothing. */
  @Override
  void close();
}
