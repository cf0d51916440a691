package dev.weir.netty.flow;

import io.netty.buffer.ByteBuf;

/**
 * Bytes promised to one task. Buffers allocated from a permit carry their share of it with them:
 * the share goes back when the buffer is released, whoever releases it. {@link #close()} gives back
 * what no buffer took.
 *
 * <p>A permit is used by one thread at a time; its buffers may be released on any.
 */
public interface Permit extends AutoCloseable {

  /** The bytes that no buffer has taken yet; 0 once the permit is closed. */
  long unspentBytes();

  /**
   * Takes a contiguous direct buffer of exactly {@code bytes} capacity out of this permit.
   *
   * @throws IllegalArgumentException if {@code bytes} is not positive or more than {@link
   *     #unspentBytes()}
   * @throws OutOfMemoryError if the allocator behind the permit cannot serve what was admitted; the
   *     permit still holds its bytes then. Pools that promise pages never do this.
   */
  ByteBuf allocate(int bytes);

  /** Gives the unspent bytes back. Further calls have no effect. */
  @Override
  void close();
}
