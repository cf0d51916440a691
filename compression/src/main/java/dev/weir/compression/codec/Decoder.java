package dev.weir.compression.codec;

import io.netty.buffer.ByteBuf;

/**
 * Decompresses one stream, which may consist of several frames or members one behind the other.
 * Owned by one thread at a time. It keeps no reference to a buffer beyond the call.
 */
public interface Decoder extends AutoCloseable {
  /**
   * Decompresses from the readable bytes of one buffer into the writable bytes of another, as far
   * as these go, and advances both indices. The target does not grow.
   *
   * @param source direct, and in one piece ({@link DirectBuffers#isUsable})
   * @param target the same, with room for a byte at least
   * @return whether it needs more input: the source has been taken, and everything that follows
   *     from it is in the targets; otherwise call again, with room in the target
   * @throws CorruptInputException if the input is not of this format, is damaged, needs a
   *     dictionary that is not there or a larger window than allowed
   * @throws dev.weir.memory.budget.BudgetExceededError if the memory that the stream needs is
   *     refused; the decoder is to be closed then, and how much of the input it has read is
   *     undefined
   * @throws IllegalStateException if it has been closed
   */
  boolean decode(ByteBuf source, ByteBuf target);

  /**
   * Says that there is no more input.
   *
   * @throws CorruptInputException if the stream is not at its end. No input at all is an end.
   */
  void finish();

  /** Gives its memory back. Further calls do nothing. */
  @Override
  void close();
}
