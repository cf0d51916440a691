package dev.weir.lab.cachefragmentation;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.block.BlockCache;
import dev.weir.cache.block.BlockCacheFullException;
import dev.weir.cache.block.BlockCacheOptions;
import dev.weir.cache.block.BlockObject;
import dev.weir.cache.block.BlockSource;
import dev.weir.cache.log.LogCache;
import dev.weir.cache.log.LogCacheOptions;
import dev.weir.cache.log.LogRead;
import dev.weir.memory.Pool;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Weir's own caches over one pool. The remote store answers at once. */
final class WeirCaches implements CacheStack {
  private static final long OBJECT_BYTES = 64L << 20;

  private final LogCache log;
  private final BlockCache blocks;
  private final BlockSource source = new InstantSource();
  private final MemorySegment content = MemorySegment.ofArray(new byte[4 << 20]);
  private final @Nullable LogRead[] held = new LogRead[HELD_READS];
  private int nextHeld;

  /** How many tail reads are held at a time. */
  static final int HELD_READS = 64;

  WeirCaches(Pool pool, CachePlan plan) {
    content.fill((byte) 'w');
    log = LogCache.create(pool, pool.rootBudget(), LogCacheOptions.withCapacity(plan.logBytes()));
    blocks =
        BlockCache.create(
            pool, pool.rootBudget(), BlockCacheOptions.withCapacity(plan.blockBytes()));
  }

  @Override
  public boolean append(long sequence, long stream, long offset, int bytes) {
    return log.tryPut(sequence, stream, offset, 1, content.asSlice(0, bytes));
  }

  @Override
  public void flushed(long sequence) {
    log.flushed(sequence);
  }

  @Override
  public void delete(long stream) {
    log.delete(stream);
  }

  @Override
  public void readTail(long stream, long endOffset) {
    LogRead read = log.read(stream, Math.max(0, endOffset - 1), endOffset, 1);
    LogRead released = held[nextHeld];
    held[nextHeld] = read;
    nextHeld = (nextHeld + 1) % HELD_READS;
    if (released != null) {
      released.close();
    }
  }

  @Override
  public boolean readPage(int object, int page) {
    BlockObject named = new BlockObject(source, "object-" + object, OBJECT_BYTES);
    try (CacheSlice slice = blocks.read(named, page * (OBJECT_BYTES / 64), 1 << 20).join()) {
      return slice.byteSize() > 0;
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof BlockCacheFullException) {
        return false;
      }
      throw failed;
    }
  }

  @Override
  public long cachedBytes() {
    return log.figures().batchBytes() + blocks.figures().cachedBytes();
  }

  @Override
  public void close() {
    for (LogRead read : held) {
      if (read != null) {
        read.close();
      }
    }
    log.close();
    blocks.close();
  }

  /** Fills pages without a network. */
  private final class InstantSource implements BlockSource {
    @Override
    public String name() {
      return "instant";
    }

    @Override
    public Fetch fetch(String object, long offset, MemorySegment into) {
      MemorySegment.copy(content, 0, into, 0, into.byteSize());
      return new Fetch() {
        @Override
        public CompletionStage<?> ended() {
          return CompletableFuture.completedFuture(null);
        }

        @Override
        public void cancel() {}
      };
    }
  }
}
