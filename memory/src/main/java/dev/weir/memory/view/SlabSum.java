package dev.weir.memory.view;

/**
 * What some slabs hold together, in bytes and counts.
 *
 * <pre>
 *   pageBytes = blockBytes + freeSlotBytes + uncommittedBytes      when nobody allocates or frees
 * </pre>
 *
 * @param slabs how many
 * @param blocks slots in use
 * @param blockBytes their bytes
 * @param freeSlotBytes slots that were cut and are not in use
 * @param uncommittedBytes live pages behind the last slot that was cut
 * @param pageBytes live pages
 */
public record SlabSum(
    long slabs,
    long blocks,
    long blockBytes,
    long freeSlotBytes,
    long uncommittedBytes,
    long pageBytes) {
  static final SlabSum NONE = new SlabSum(0, 0, 0, 0, 0, 0);

  SlabSum plus(SlabSum other) {
    return new SlabSum(
        slabs + other.slabs,
        blocks + other.blocks,
        blockBytes + other.blockBytes,
        freeSlotBytes + other.freeSlotBytes,
        uncommittedBytes + other.uncommittedBytes,
        pageBytes + other.pageBytes);
  }
}
