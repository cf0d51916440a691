package dev.weir.memory.view;

/**
 * A size class that has slabs.
 *
 * @param slotBytes the size of a slot
 * @param smallestRequestBytes the smallest request that gets such a slot
 * @param slabs what its slabs hold
 */
public record ClassView(int slotBytes, int smallestRequestBytes, SlabSum slabs) {
  /** The most that requests may have left unused at the ends of their slots. */
  public long roundingAtMostBytes() {
    return slabs.blocks() * (slotBytes - smallestRequestBytes);
  }
}
