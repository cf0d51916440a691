package dev.weir.server;

import dev.weir.cache.block.BlockCache;
import dev.weir.cache.block.BlockCacheOptions;
import dev.weir.cache.log.LogCache;
import dev.weir.cache.log.LogCacheOptions;
import dev.weir.memory.Pool;
import org.jspecify.annotations.Nullable;

/**
 * What the node keeps of streams in its pool.
 *
 * @param tail the newest bytes
 * @param blocks pages of a remote store; null where the store is local, whose files the operating
 *     system keeps
 */
record StreamMemory(LogCache tail, @Nullable BlockCache blocks) implements AutoCloseable {
  static StreamMemory in(Pool pool, StorageSettings settings) {
    long tailBytes = StorageSettings.cacheBytes(settings.logCacheBytes(), pool.limitBytes());
    // A flush holds all that it stores; readers hold little, and briefly.
    LogCache tail =
        LogCache.create(
            pool,
            pool.rootBudget(),
            LogCacheOptions.withCapacity(tailBytes).withPinnedBytes(tailBytes));
    BlockCache blocks =
        settings.isRemote()
            ? BlockCache.create(
                pool,
                pool.rootBudget(),
                BlockCacheOptions.withCapacity(
                    StorageSettings.cacheBytes(settings.blockCacheBytes(), pool.limitBytes())))
            : null;
    return new StreamMemory(tail, blocks);
  }

  /** What the caches take now. */
  long chargedBytes() {
    return tail.budget().chargedBytes() + (blocks == null ? 0 : blocks.budget().chargedBytes());
  }

  @Override
  public void close() {
    tail.close();
    if (blocks != null) {
      blocks.close();
    }
  }
}
