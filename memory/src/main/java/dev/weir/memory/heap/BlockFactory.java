package dev.weir.memory.heap;

import org.jspecify.annotations.Nullable;

/**
 * Makes the objects that stand for blocks to their users, so that an allocator on top of a pool
 * needs one object for each slot, not two.
 *
 * @param <T> the type of these objects
 */
@FunctionalInterface
public interface BlockFactory<T> {
  /**
   * The object for a block that has just been allocated. May be called under a lock: it must not
   * block, nor allocate from a pool. What it throws is thrown by the allocation, which is undone.
   *
   * @param home where the block lies
   * @param number which one it is there
   * @param found what was {@linkplain BlockContainer#leave left} there, by whomever; null if
   *     nothing was
   */
  T create(BlockContainer home, int number, @Nullable Object found);
}
