package dev.weir.cache.log;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.PinFigures;
import dev.weir.cache.SharedBlock;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Registration;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The tail of a log in memory: record batches of many streams, the oldest out first.
 *
 * <p>Every batch has a sequence number, that of the journal say, which never falls. {@link
 * #flushed} says up to which number everything lies elsewhere too: only that is evicted. A cache
 * that is full of what has not been flushed refuses further batches.
 *
 * <p>Reads are not copied: they hold the chunks that the batches lie in. When readers hold as much
 * as they may, an eighth of the cache, reads of further chunks are copied into blocks that are
 * charged to the parent budget.
 *
 * <p>A batch costs 8 to 16 bytes of Java heap, a stream some 130. What describes a batch, 32 bytes,
 * lies in front of it in the cache's memory.
 *
 * <p>It is a reclaimer of its pool: when others find no room it gives up flushed chunks, and it
 * takes room back as batches come.
 *
 * <p>Thread-safe. One lock guards everything; under it batches are copied in, and at most 256 KiB
 * or twice what was dropped is copied out of mostly dead chunks. There is no I/O under it, and no
 * memory is waited for. Copies for readers are made outside it.
 */
public final class LogCache implements AutoCloseable {
  /** How often a put makes room in the pool that somebody else takes. */
  private static final int ROOM_ATTEMPTS = 3;

  /** What a put may need beyond its bytes: the first pages of a chunk. */
  private static final long FRESH_CHUNK_BYTES = 128 << 10;

  private final Pool pool;
  private final LogCacheOptions options;
  private final Budget parent;
  private final Budget budget;
  private final LogIndex index;
  private final ReadFigures reads = new ReadFigures();
  private final ReentrantLock lock = new ReentrantLock();
  private final Registration registration;
  private long refusedPuts;
  private long reclaimedBytes;
  private boolean closed;

  private LogCache(Pool pool, Budget parent, LogCacheOptions options) {
    this.pool = pool;
    this.options = options;
    this.parent = parent;
    this.budget = parent.child(options.name(), options.capacityBytes());
    this.index = new LogIndex(pool, budget, options.chunkBytes());
    this.registration = pool.addReclaimer(budget, options.priority(), this::reclaim);
  }

  /**
   * Creates a cache. It takes no memory before its first batch.
   *
   * @param parent gets a child budget, whose limit is the capacity; copies for readers are charged
   *     to the parent itself
   */
  public static LogCache create(Pool pool, Budget parent, LogCacheOptions options) {
    return new LogCache(pool, parent, options);
  }

  /**
   * Adds a batch, of which a copy is made.
   *
   * @param sequence at least that of the last put
   * @param baseOffset at least the end of what is cached of the stream; what lies between is a gap
   * @param count how many offsets the batch covers, at least 1
   * @param bytes from 1 to a quarter of the capacity
   * @throws LogCacheFullException if there is no room, and nothing that has been flushed
   * @throws IllegalArgumentException if the batch breaks one of these rules
   * @throws IllegalStateException if the cache is closed
   */
  public void put(long sequence, long stream, long baseOffset, int count, MemorySegment bytes) {
    if (!tryPut(sequence, stream, baseOffset, count, bytes)) {
      long unflushed = figures().unflushedBytes();
      throw new LogCacheFullException(
          "log cache '%s' of %,d bytes has no room for %,d: %,d are not flushed, %,d pinned; flush, or raise its capacity or the pool's limit"
              .formatted(
                  options.name(),
                  options.capacityBytes(),
                  bytes.byteSize(),
                  unflushed,
                  index.memory().pins().pinnedBytes()),
          unflushed);
    }
  }

  /** As {@link #put}, but returns false where that throws {@link LogCacheFullException}. */
  public boolean tryPut(
      long sequence, long stream, long baseOffset, int count, MemorySegment bytes) {
    if (count < 1
        || baseOffset < 0
        || baseOffset > Long.MAX_VALUE - count
        || bytes.byteSize() == 0) {
      throw new IllegalArgumentException(
          "batch of stream %d with %,d bytes for %d offsets from %d: at least 1 of each is needed, and no offset is negative"
              .formatted(stream, bytes.byteSize(), count, baseOffset));
    }
    if (bytes.byteSize() > maxBatchBytes()) {
      throw new IllegalArgumentException(
          "batch of %,d bytes of stream %d: log cache '%s' takes at most %,d, a quarter of its capacity"
              .formatted(bytes.byteSize(), stream, options.name(), maxBatchBytes()));
    }
    for (int attempt = 0; ; attempt++) {
      lock.lock();
      try {
        requireOpen();
        if (index.tryPut(sequence, stream, baseOffset, count, bytes)) {
          return true;
        }
        if (attempt == ROOM_ATTEMPTS) {
          refusedPuts++;
          return false;
        }
      } finally {
        lock.unlock();
      }
      if (!askOthersForRoom(bytes.byteSize())) {
        attempt = ROOM_ATTEMPTS - 1; // One more look: somebody may have flushed.
      }
    }
  }

  /** The longest batch: a quarter of the capacity, at most 1 GiB less what describes it. */
  public long maxBatchBytes() {
    return Math.min(options.capacityBytes() / 4, (1 << 30) - BatchLayout.HEADER_BYTES);
  }

  /** Outside the lock: those who are asked may be other caches, or this one. */
  private boolean askOthersForRoom(long bytes) {
    long neededBytes = bytes + FRESH_CHUNK_BYTES;
    if (!budget.hasRoom(neededBytes)) {
      return false;
    }
    Block room = pool.tryAllocate(neededBytes, budget);
    if (room == null) {
      return false;
    }
    room.release();
    return true;
  }

  /**
   * All batches with a sequence number up to this one are kept elsewhere: they may be evicted. So
   * may later ones, if their number is not higher. A smaller number than before changes nothing.
   */
  public void flushed(long sequence) {
    lock.lock();
    try {
      index.flushed(sequence);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads the first cached batches within a range of offsets, as long as they follow each other.
   * Batches are whole: the first may begin before the range, and the last end behind it.
   *
   * @param maxBytes after the first batch, none is added that would exceed this
   * @return to be closed; where it begins behind {@code startOffset}, that part lies elsewhere
   */
  public LogRead read(long stream, long startOffset, long endOffset, long maxBytes) {
    LogReader reader = new LogReader(startOffset, endOffset);
    lock.lock();
    try {
      requireOpen();
      reader.collect(index, stream, maxBytes, options.pinnedBytes());
    } catch (Throwable e) {
      reader.release();
      throw e;
    } finally {
      lock.unlock();
    }
    LogRead read = reader.finish(this::copy);
    reads.count(read, reader.copiedBytes());
    return read;
  }

  private @Nullable CacheSlice copy(CacheSlice original) {
    Block block = pool.tryAllocate(original.byteSize(), parent);
    if (block == null) {
      return null;
    }
    SharedBlock copied = new SharedBlock(block, block.size(), new PinFigures());
    try {
      MemorySegment bytes = block.segment().asSlice(0, original.byteSize());
      bytes.copyFrom(original.segment());
      return copied.trySlice(bytes);
    } finally {
      copied.drop();
    }
  }

  /**
   * Drops the batches of a stream that end at an offset or before: nobody needs them any more,
   * flushed or not.
   */
  public void truncateBefore(long stream, long offset) {
    change(() -> index.dropBefore(stream, offset));
  }

  /**
   * Drops the batches of a stream that begin at an offset or behind it, flushed or not.
   *
   * @throws IllegalArgumentException if the offset lies inside a batch
   */
  public void truncateFrom(long stream, long offset) {
    change(() -> index.dropFrom(stream, offset));
  }

  /** Drops all batches of a stream, flushed or not. */
  public void delete(long stream) {
    change(() -> index.dropBefore(stream, Long.MAX_VALUE));
  }

  private void change(Runnable action) {
    lock.lock();
    try {
      long before = index.batchBytes();
      action.run();
      if (!closed) {
        index.compactAfter(before - index.batchBytes());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Gives up flushed chunks, oldest first; those that readers pin give nothing back. */
  private long reclaim(long bytes) {
    lock.lock();
    try {
      PinFigures pins = index.memory().pins();
      long before = index.memory().heldBytes() + pins.orphanedBytes();
      long freed = 0;
      while (freed < bytes && index.evictOldest()) {
        freed = before - index.memory().heldBytes() - pins.orphanedBytes();
      }
      reclaimedBytes += Math.max(0, freed);
      return freed;
    } finally {
      lock.unlock();
    }
  }

  /** What it holds and has done. */
  public LogCacheFigures figures() {
    lock.lock();
    try {
      PinFigures pins = index.memory().pins();
      return new LogCacheFigures(
          options.capacityBytes(),
          budget.chargedBytes(),
          index.batchBytes(),
          index.batches(),
          index.streams(),
          index.unflushedBytes(),
          index.batches() * BatchLayout.HEADER_BYTES,
          index.indexHeapBytes(),
          index.memory().figures(),
          pins.pinnedBytes(),
          pins.orphanedBytes(),
          reads.reads(),
          reads.hits(),
          reads.partialHits(),
          reads.misses(),
          reads.refused(),
          reads.readBytes(),
          reads.copiedBytes(),
          index.evictedBytes(),
          reclaimedBytes,
          refusedPuts);
    } finally {
      lock.unlock();
    }
  }

  /** What it charges: its limit is the capacity. */
  public Budget budget() {
    return budget;
  }

  /**
   * Walks everything that is cached and compares it with the figures.
   *
   * @throws AssertionError where they differ
   */
  public void checkInvariants() {
    lock.lock();
    try {
      index.checkInvariants();
    } finally {
      lock.unlock();
    }
  }

  /** Drops everything, flushed or not. Slices of readers stay valid until they are released. */
  @Override
  public void close() {
    registration.close();
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        index.close();
        budget.close();
      }
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("log cache '" + options.name() + "' is closed");
    }
  }
}
