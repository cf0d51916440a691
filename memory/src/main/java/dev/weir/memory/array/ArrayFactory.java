package dev.weir.memory.array;

import org.jspecify.annotations.Nullable;

/**
 * Makes the objects that stand for slots of arrays, one for each slot: it lives with the slot.
 *
 * @param <T> the type of these objects
 */
@FunctionalInterface
public interface ArrayFactory<T> {
  /**
   * The object for a slot that has just been allocated. Called under a lock: it must not block, nor
   * allocate from a pool. The slot is lost if it throws.
   *
   * @param home where the slot lies
   * @param number which one it is there
   * @param found what was {@linkplain ArraySlab#leave left} there; null if nothing was
   */
  T create(ArraySlab home, int number, @Nullable Object found);
}
