package dev.weir.netty.buffer;

import dev.weir.memory.heap.BlockHome;
import dev.weir.memory.heap.Tenants;

/**
 * A block that was allocated for a buffer which exists already, and moves there.
 *
 * @param home where the block lies
 * @param number which one it is there
 */
record Place(BlockHome home, int number) {
  /** Just the place; the slot keeps what rests in it. */
  static final Tenants<Place> TENANTS = (home, number, found) -> new Place(home, number);
}
