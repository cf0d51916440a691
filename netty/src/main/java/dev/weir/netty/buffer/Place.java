package dev.weir.netty.buffer;

import dev.weir.memory.heap.BlockContainer;
import dev.weir.memory.heap.BlockFactory;

/**
 * A block that was allocated for a buffer which exists already, and moves there.
 *
 * @param home where the block lies
 * @param number which one it is there
 */
record Place(BlockContainer home, int number) {
  /** Just the place; the slot keeps what rests in it. */
  static final BlockFactory<Place> FACTORY = (home, number, found) -> new Place(home, number);
}
