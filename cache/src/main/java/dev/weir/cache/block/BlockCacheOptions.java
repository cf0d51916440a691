package dev.weir.cache.block;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The settings of a {@link BlockCache}. Immutable.
 *
 * @param name of its budget, below the one that it is given
 * @param capacityBytes the most that it charges: pages cached, under way, fetched ahead, and held
 *     by readers; at least 4 pages
 * @param pageBytes a power of two from 64 KiB to 64 MiB
 * @param aheadBytes the most of the capacity for pages that are fetched ahead and not yet read
 * @param aheadTime how long such a page waits for its reader
 * @param priority among the reclaimers of its pool: smaller ones are asked first
 * @param clock in nanoseconds, as {@link System#nanoTime}
 * @param later has something run after a while
 */
public record BlockCacheOptions(
    String name,
    long capacityBytes,
    int pageBytes,
    long aheadBytes,
    Duration aheadTime,
    int priority,
    LongSupplier clock,
    Later later) {
  private static final int DEFAULT_PAGE_BYTES = 1 << 20;
  private static final int MIN_PAGE_BYTES = 64 << 10;
  private static final int MAX_PAGE_BYTES = 64 << 20;
  private static final int MIN_PAGES = 4;

  /** A quarter of the cache is for what is fetched ahead. */
  private static final int AHEAD_SHARE = 4;

  private static final Duration DEFAULT_AHEAD_TIME = Duration.ofSeconds(10);
  private static final int DEFAULT_PRIORITY = 10;

  /** Has tasks run later. */
  @FunctionalInterface
  public interface Later {
    /** Runs a short task, once, when so many nanoseconds have passed, on any thread. */
    void run(Runnable task, long delayNanos);
  }

  /** Checks the settings. */
  public BlockCacheOptions {
    if (pageBytes < MIN_PAGE_BYTES
        || pageBytes > MAX_PAGE_BYTES
        || Integer.bitCount(pageBytes) != 1) {
      throw new IllegalArgumentException(
          "pages of %,d bytes for block cache '%s': a power of two from %,d to %,d is needed"
              .formatted(pageBytes, name, MIN_PAGE_BYTES, MAX_PAGE_BYTES));
    }
    if (capacityBytes < (long) MIN_PAGES * pageBytes) {
      throw new IllegalArgumentException(
          "capacity of %,d bytes for block cache '%s' is below %d pages of %,d"
              .formatted(capacityBytes, name, MIN_PAGES, pageBytes));
    }
    if (aheadBytes < 0 || aheadBytes > capacityBytes / 2) {
      throw new IllegalArgumentException(
          "%,d bytes fetched ahead are not between 0 and half of the capacity of block cache '%s', %,d"
              .formatted(aheadBytes, name, capacityBytes));
    }
    if (aheadTime.isNegative() || aheadTime.isZero()) {
      throw new IllegalArgumentException("pages fetched ahead cannot wait for " + aheadTime);
    }
  }

  /**
   * Pages of 1 MiB, or a 16th of less than 16 MiB; a quarter for what is fetched ahead, which waits
   * 10 s at most.
   */
  public static BlockCacheOptions withCapacity(long bytes) {
    return new BlockCacheOptions(
        "block-cache",
        bytes,
        Math.clamp(Long.highestOneBit(bytes / 16), MIN_PAGE_BYTES, DEFAULT_PAGE_BYTES),
        bytes / AHEAD_SHARE,
        DEFAULT_AHEAD_TIME,
        DEFAULT_PRIORITY,
        System::nanoTime,
        (task, nanos) ->
            CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(task));
  }

  /** A copy with another name. */
  public BlockCacheOptions withName(String newName) {
    return new BlockCacheOptions(
        newName, capacityBytes, pageBytes, aheadBytes, aheadTime, priority, clock, later);
  }

  /** A copy with other pages. */
  public BlockCacheOptions withPageBytes(int bytes) {
    return new BlockCacheOptions(
        name, capacityBytes, bytes, aheadBytes, aheadTime, priority, clock, later);
  }

  /** A copy that lets so much be fetched ahead; 0 for nothing. */
  public BlockCacheOptions withAheadBytes(long bytes) {
    return new BlockCacheOptions(
        name, capacityBytes, pageBytes, bytes, aheadTime, priority, clock, later);
  }

  /** A copy with another time for what is fetched ahead. */
  public BlockCacheOptions withAheadTime(Duration time) {
    return new BlockCacheOptions(
        name, capacityBytes, pageBytes, aheadBytes, time, priority, clock, later);
  }

  /** A copy with another place among the reclaimers. */
  public BlockCacheOptions withPriority(int newPriority) {
    return new BlockCacheOptions(
        name, capacityBytes, pageBytes, aheadBytes, aheadTime, newPriority, clock, later);
  }

  /** A copy with another clock, and another way to wait: for tests. */
  public BlockCacheOptions withClock(LongSupplier newClock, Later newLater) {
    return new BlockCacheOptions(
        name, capacityBytes, pageBytes, aheadBytes, aheadTime, priority, newClock, newLater);
  }
}
