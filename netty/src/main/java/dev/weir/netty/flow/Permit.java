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

  /**
   * As {@link #allocate}, of a buffer that a later permit may lengthen.
   *
   * @param maxCapacity the most that it may come to
   */
  default ByteBuf allocateGrowing(int bytes, int maxCapacity) {
    return allocate(bytes);
  }

  /**
   * Lengthens a buffer, where it lies, by bytes of this permit; contents and indices stay. For
   * tasks that do not know how much they will need: each permit is for what comes next.
   *
   * @param buffer what {@link #allocateGrowing} of a permit of the same admission has given, and
   *     not a view of it; nobody else uses it meanwhile
   * @param newCapacity at most {@link #unspentBytes()} more than the buffer has, and at most its
   *     {@code maxCapacity}
   * @return whether that has been done; if not, nothing has changed, and the buffer can grow no
   *     further in place now: another buffer beside it is the way on, or a permit for all of it and
   *     a copy, which needs room for both
   * @throws IllegalArgumentException if {@code newCapacity} is out of range, or the buffer is
   *     charged to another budget
   */
  default boolean tryGrow(ByteBuf buffer, int newCapacity) {
    return false;
  }

  /** Gives the unspent bytes back. Further calls have no effect. */
  @Override
  void close();
}
