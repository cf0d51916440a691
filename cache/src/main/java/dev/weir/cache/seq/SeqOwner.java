package dev.weir.cache.seq;

/**
 * Who holds the positions of a {@link SeqAllocator}'s blocks. Called within calls of the allocator,
 * on their thread. It must not allocate or free meanwhile.
 */
public interface SeqOwner {
  /**
   * A block has been copied to another place, to free the chunk that it pinned. The old position is
   * nobody's after this returns.
   */
  void moved(long from, long to, int bytes);

  /** No block of a chunk is left; another chunk may get its number. */
  default void chunkEnded(int chunk) {}
}
