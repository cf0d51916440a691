package dev.weir.cache.seq;

/**
 * What a {@link SeqAllocator} holds, in bytes.
 *
 * <pre>
 *   held = live + headers + dead + unused
 * </pre>
 *
 * @param heldBytes of all chunks that are the allocator's; those that only readers hold are apart
 * @param liveBytes of blocks, as asked for
 * @param headerBytes lengths in front of them, and alignment
 * @param deadBytes of blocks that were freed, in chunks that others still need
 * @param unusedBytes behind the last block of each chunk
 * @param movedBytes copied out of mostly dead chunks since the beginning
 * @param chunks how many there are, runs of single records among them
 */
public record SeqFigures(
    long heldBytes,
    long liveBytes,
    long headerBytes,
    long deadBytes,
    long unusedBytes,
    long movedBytes,
    int chunks) {
  /** What is held and not live. */
  public long wasteBytes() {
    return heldBytes - liveBytes;
  }
}
