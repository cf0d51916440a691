package dev.weir.cache.seq;

/**
 * The settings of a {@link SeqAllocator}. Immutable.
 *
 * @param chunkBytes the most that a chunk grows to, a power of two from 256 KiB to 4 MiB. Chunks
 *     are smaller while less than 64 of that size are live. Records above a quarter of a chunk get
 *     runs of their own
 * @param alignment of every block: 1, 2, 4 or 8 bytes
 * @param lanes how many chunks are open at once, for records of different expected lifetimes; at
 *     most 16
 */
public record SeqOptions(int chunkBytes, int alignment, int lanes) {
  /** The smallest chunk: a quarter of it is the largest slot of a pool, 64 KiB. */
  public static final int MIN_CHUNK_BYTES = 256 << 10;

  /** The largest chunk: a block grows to 4 MiB without moving. */
  public static final int MAX_CHUNK_BYTES = 4 << 20;

  private static final int MAX_ALIGNMENT = 8;
  private static final int MAX_LANES = 16;

  /** Checks the settings. */
  public SeqOptions {
    if (chunkBytes < MIN_CHUNK_BYTES
        || chunkBytes > MAX_CHUNK_BYTES
        || Integer.bitCount(chunkBytes) != 1) {
      throw new IllegalArgumentException(
          "chunks of %,d bytes: a power of two from %,d to %,d is needed"
              .formatted(chunkBytes, MIN_CHUNK_BYTES, MAX_CHUNK_BYTES));
    }
    if (alignment < 1 || alignment > MAX_ALIGNMENT || Integer.bitCount(alignment) != 1) {
      throw new IllegalArgumentException("alignment " + alignment + " is not 1, 2, 4 or 8");
    }
    if (lanes < 1 || lanes > MAX_LANES) {
      throw new IllegalArgumentException(lanes + " lanes: 1 to " + MAX_LANES + " are possible");
    }
  }

  /** Chunks of 4 MiB, no alignment, one lane. */
  public static SeqOptions defaults() {
    return new SeqOptions(MAX_CHUNK_BYTES, 1, 1);
  }

  /** Chunks that fit a cache of so many bytes: a 32nd of it, within the limits of a chunk. */
  public static SeqOptions forCapacity(long capacityBytes) {
    long chunkBytes = Long.highestOneBit(Math.max(1, capacityBytes / 32));
    return defaults().withChunkBytes(Math.clamp(chunkBytes, MIN_CHUNK_BYTES, MAX_CHUNK_BYTES));
  }

  /** A copy with other chunks. */
  public SeqOptions withChunkBytes(int bytes) {
    return new SeqOptions(bytes, alignment, lanes);
  }

  /** A copy with another alignment. */
  public SeqOptions withAlignment(int bytes) {
    return new SeqOptions(chunkBytes, bytes, lanes);
  }

  /** A copy with another number of lanes. */
  public SeqOptions withLanes(int count) {
    return new SeqOptions(chunkBytes, alignment, count);
  }
}
