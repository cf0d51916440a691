package dev.weir.lab.contender;

import dev.weir.lab.subject.HeldMemory;

/**
 * Live blocks of one allocator, by slot number. Allocating and releasing is for one thread; what it
 * says of its memory, any thread may ask.
 */
public interface BlockStore extends HeldMemory {
  /** What {@link #allocate} returns where the allocator has no room. */
  long REFUSED = 0;

  /**
   * Allocates a block.
   *
   * @param slot free until now
   * @return its address, or {@link #REFUSED}; the slot is free then
   */
  long allocate(int slot, int bytes);

  /**
   * Gives the block in the slot another size. What it holds stays.
   *
   * @param before its size
   * @return its address from now on, or {@link #REFUSED}; it stays as it was then
   */
  long grow(int slot, int before, int bytes);

  /** Releases the block in the slot. */
  void release(int slot);

  /** Whether there is memory at the addresses. */
  default boolean isReal() {
    return true;
  }
}
