package dev.weir.memory.view;

/**
 * Memory and addresses that hold no block, by kind.
 *
 * <pre>
 *   live pages = blocks + freeSlotBytes + uncommittedBytes + quarantinedBytes + hardeningBytes
 *                                                            when nobody allocates or frees
 *   resident   = live pages + dirtyBytes
 * </pre>
 *
 * @param freeSlotBytes slots of live slabs that were cut and are not in use
 * @param uncommittedBytes live pages of slabs behind the last slot that was cut
 * @param quarantinedBytes pages where hardened blocks have been, which rest before they are used
 *     again
 * @param hardeningBytes what the pages of hardened blocks have beside the blocks
 * @param dirtyBytes pages that are free but resident
 * @param roundingAtMostBytes part of the blocks: the most that requests may have left unused at
 *     their ends. What was asked for is not kept, so this is a bound, not a count
 * @param promisedBytes pages promised to grants and not taken yet; they need no memory
 * @param growthAddressBytes addresses kept free behind blocks that may grow; they need no memory
 */
public record Waste(
    long freeSlotBytes,
    long uncommittedBytes,
    long quarantinedBytes,
    long hardeningBytes,
    long dirtyBytes,
    long roundingAtMostBytes,
    long promisedBytes,
    long growthAddressBytes) {}
