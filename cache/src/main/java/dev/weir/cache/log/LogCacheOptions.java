package dev.weir.cache.log;

import dev.weir.cache.seq.SeqOptions;

/**
 * The settings of a {@link LogCache}. Immutable.
 *
 * @param name of its budget, below the one that it is given
 * @param capacityBytes the most that it holds, headers and what readers pin included; 1 MiB to 1
 *     TiB
 * @param chunkBytes chunks are what is evicted at once: a power of two from 256 KiB to 4 MiB
 * @param pinnedBytes the most that zero-copy reads may pin; beyond that reads are copied
 * @param priority among the reclaimers of its pool: smaller ones are asked first
 */
public record LogCacheOptions(
    String name, long capacityBytes, int chunkBytes, long pinnedBytes, int priority) {
  private static final long MIN_CAPACITY_BYTES = 1L << 20;
  private static final long MAX_CAPACITY_BYTES = 1L << 40;

  /** An eighth of the cache may be pinned. */
  private static final int PINNED_SHARE = 8;

  private static final int DEFAULT_PRIORITY = 20;

  /** Checks the settings. */
  public LogCacheOptions {
    if (capacityBytes < MIN_CAPACITY_BYTES || capacityBytes > MAX_CAPACITY_BYTES) {
      throw new IllegalArgumentException(
          "capacity of %,d bytes for log cache '%s' is not between %,d and %,d"
              .formatted(capacityBytes, name, MIN_CAPACITY_BYTES, MAX_CAPACITY_BYTES));
    }
    if (pinnedBytes < 0) {
      throw new IllegalArgumentException(
          "log cache '%s' cannot let readers pin %,d bytes".formatted(name, pinnedBytes));
    }
  }

  /** Named {@code log-cache}, with chunks of a 32nd, of which readers may pin an eighth. */
  public static LogCacheOptions withCapacity(long bytes) {
    return new LogCacheOptions(
        "log-cache",
        bytes,
        SeqOptions.forCapacity(bytes).chunkBytes(),
        bytes / PINNED_SHARE,
        DEFAULT_PRIORITY);
  }

  /** A copy with another name. */
  public LogCacheOptions withName(String newName) {
    return new LogCacheOptions(newName, capacityBytes, chunkBytes, pinnedBytes, priority);
  }

  /** A copy with other chunks. */
  public LogCacheOptions withChunkBytes(int bytes) {
    return new LogCacheOptions(name, capacityBytes, bytes, pinnedBytes, priority);
  }

  /** A copy that lets readers pin so many bytes; 0 has every read copied. */
  public LogCacheOptions withPinnedBytes(long bytes) {
    return new LogCacheOptions(name, capacityBytes, chunkBytes, bytes, priority);
  }

  /** A copy with another place among the reclaimers. */
  public LogCacheOptions withPriority(int newPriority) {
    return new LogCacheOptions(name, capacityBytes, chunkBytes, pinnedBytes, newPriority);
  }
}
