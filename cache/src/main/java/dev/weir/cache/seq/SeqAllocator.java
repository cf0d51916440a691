package dev.weir.cache.seq;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.PinFigures;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Cuts blocks one after another out of chunks: no size classes, no fragmentation inside a chunk. A
 * block is known by its position, a {@code long}, so that an owner of millions keeps no objects.
 *
 * <p>Blocks may move. When blocks that were freed make up more than a 13th of what is live, {@link
 * #compact} copies the stragglers out of the chunk that has most dead bytes. It tells the {@link
 * SeqOwner} where they are now. So what is held exceeds what is live by at most 10 %, and 64 KiB
 * for each lane, once {@code compact} has nothing left to do. Chunks that readers pin are left out.
 *
 * <p>Memory is charged to one budget of the pool. The allocator asks nobody for room: it returns
 * {@link #NONE} when the budget or the pool has none at hand, and its owner decides what goes. The
 * last chunk of the budget is kept for stragglers.
 *
 * <p>One thread at a time, but for the slices, which any thread may release: an owner calls it
 * under its lock. No call blocks.
 */
/*
 * A chunk is a block that grows: its addresses are there from the beginning, its pages come as it is filled. So neither
 * an open chunk nor the tail of a full one holds more than one step of memory that nobody uses. That step is a 64th of
 * the chunk. A chunk of a small cache is small, too. The tail of the chunk before is used by the next record that fits into its last step.
 */
public final class SeqAllocator implements AutoCloseable {
  /** No room. */
  public static final long NONE = -1;

  /** A block may have so many bytes: 1 GiB. */
  public static final int MAX_BLOCK_BYTES = 1 << 30;

  private static final int CHUNKS_OF_LIVE_SHIFT = 6;

  /** A chunk begins with the least that a pool lets grow. */
  private static final long FIRST_BYTES = Pool.MIN_GROWING_BYTES;

  /**
   * Dead bytes that are left alone, of what is live: a 13th, so that 10 % is kept with the rest.
   */
  private static final int LEFT_ALONE_DIVISOR = 13;

  /** Copying for less than this is not worth a look at the chunks. */
  private static final long LEAST_DEAD_BYTES = 16 << 10;

  private final Pool pool;
  private final Budget budget;
  private final SeqOptions options;
  private final SeqOwner owner;
  private final PinFigures pins = new PinFigures();
  private final ChunkTable chunks = new ChunkTable();

  /** Of each lane, and behind them that of stragglers: the chunk that is filled now. */
  private final @Nullable SeqChunk[] open;

  /** The chunk before: the rest of its last step goes to the next record that fits. */
  private final @Nullable SeqChunk[] tail;

  private long heldBytes;
  private long liveBytes;
  private long liveSpanBytes;
  private long deadSpanBytes;
  private long movedBytes;

  /** The chunk that stragglers are copied out of, and where the walk through it has come to. */
  private @Nullable SeqChunk victim;

  private int victimOffset;

  /**
   * Creates an allocator; it takes no memory before its first block.
   *
   * @param budget of that pool; what it limits is all chunks, also those that only readers hold
   */
  public SeqAllocator(Pool pool, Budget budget, SeqOptions options, SeqOwner owner) {
    this.pool = pool;
    this.budget = budget;
    this.options = options;
    this.owner = owner;
    this.open = new SeqChunk[options.lanes() + 1];
    this.tail = new SeqChunk[options.lanes() + 1];
  }

  /** Sees a live block. */
  @FunctionalInterface
  public interface Visitor {
    /** May free blocks of any chunk, and allocate none. */
    void visit(long position, int bytes);
  }

  /**
   * Cuts a block, contents undefined.
   *
   * @param lane blocks of one lane are expected to live about equally long; from 0
   * @return its position, or {@link #NONE} if there is no room at hand
   * @throws IllegalArgumentException if the size is not from 1 to {@link #MAX_BLOCK_BYTES}
   */
  public long tryAllocate(int bytes, int lane) {
    if (bytes < 1 || bytes > MAX_BLOCK_BYTES) {
      throw new IllegalArgumentException(
          "block of %,d bytes: 1 to %,d are possible".formatted(bytes, MAX_BLOCK_BYTES));
    }
    if (lane < 0 || lane >= options.lanes()) {
      throw new IllegalArgumentException(
          "lane %d: there are %d, counted from 0".formatted(lane, options.lanes()));
    }
    return cut(bytes, lane);
  }

  private long cut(int bytes, int lane) {
    long spanBytes = SeqLayout.spanBytes(bytes, options.alignment());
    SeqChunk chunk =
        spanBytes > newChunkBytes() / 4
            ? ownRun(SeqLayout.firstOffset(options.alignment()) + spanBytes, lane)
            : chunkFor(spanBytes, lane);
    if (chunk == null) {
      return NONE;
    }
    long position = position(chunk.number, chunk.cut(bytes));
    liveBytes += bytes;
    liveSpanBytes += spanBytes;
    return position;
  }

  private @Nullable SeqChunk ownRun(long runBytes, int lane) {
    if (!leavesRoomForStragglers(runBytes, lane)) {
      return null;
    }
    int number = chunks.nextNumber();
    Block block = pool.tryAllocateAtOnce(runBytes, budget);
    return block == null ? null : add(number, (int) runBytes, block);
  }

  private @Nullable SeqChunk chunkFor(long spanBytes, int lane) {
    SeqChunk last = tail[lane];
    if (last != null && last.fitsHeld(spanBytes)) {
      return last;
    }
    SeqChunk current = open[lane];
    if (current != null && current.fitsHeld(spanBytes)) {
      return current;
    }
    long firstBytes = Math.max(FIRST_BYTES, spanBytes + Long.BYTES);
    if (!leavesRoomForStragglers(spanBytes, lane)) {
      return null;
    }
    if (current != null) {
      long before = current.heldBytes();
      boolean hasRoom = current.tryMakeRoom(spanBytes);
      heldBytes += current.heldBytes() - before;
      if (hasRoom) {
        return current;
      }
      if (current.end + spanBytes <= current.maxBytes && !budget.hasRoom(firstBytes)) {
        return null; // It is not full: memory is.
      }
    }
    int number = chunks.nextNumber();
    Block block = pool.tryAllocateGrowingAtOnce(firstBytes, budget);
    if (block == null) {
      return null;
    }
    SeqChunk fresh = add(number, newChunkBytes(), block);
    tail[lane] = current;
    open[lane] = fresh;
    return fresh;
  }

  /** A full budget must not keep mostly dead chunks from being emptied: so one chunk is left. */
  private boolean leavesRoomForStragglers(long bytes, int lane) {
    return lane == options.lanes() || budget.hasRoom(bytes + newChunkBytes());
  }

  private SeqChunk add(int number, int maxBytes, Block block) {
    SeqChunk chunk = new SeqChunk(number, maxBytes, options.alignment(), block, pins);
    chunks.add(chunk);
    heldBytes += chunk.heldBytes();
    return chunk;
  }

  /** A 64th of what is live: one chunk that is half dead, or half copied, is below 1 % of it. */
  private int newChunkBytes() {
    long wanted = Long.highestOneBit(liveSpanBytes >> CHUNKS_OF_LIVE_SHIFT);
    return Math.clamp(wanted, SeqOptions.MIN_CHUNK_BYTES, options.chunkBytes());
  }

  /**
   * Frees a block.
   *
   * @throws IllegalStateException if it is not live
   */
  public void free(long position) {
    SeqChunk chunk = chunkOf(position);
    int bytes = SeqLayout.length(chunk.memory(), offsetOf(position));
    chunk.free(offsetOf(position), bytes);
    liveBytes -= bytes;
    liveSpanBytes -= chunk.spanBytes(bytes);
    deadSpanBytes += chunk.spanBytes(bytes);
    if (chunk.liveBlocks == 0) {
      end(chunk);
    }
  }

  private void end(SeqChunk chunk) {
    forget(open, chunk);
    forget(tail, chunk);
    if (victim == chunk) {
      victim = null;
    }
    chunks.remove(chunk);
    heldBytes -= chunk.heldBytes();
    deadSpanBytes -= chunk.deadSpanBytes;
    chunk.drop();
    owner.chunkEnded(chunk.number);
  }

  private static void forget(@Nullable SeqChunk[] places, SeqChunk chunk) {
    for (int i = 0; i < places.length; i++) {
      if (places[i] == chunk) {
        places[i] = null;
      }
    }
  }

  /** The memory of a block, to be written and read by the owner until it is moved or freed. */
  public MemorySegment segment(long position) {
    SeqChunk chunk = chunkOf(position);
    int offset = offsetOf(position);
    return chunk.memory().asSlice(offset, SeqLayout.length(chunk.memory(), offset));
  }

  /** How many bytes were asked for. */
  public int length(long position) {
    return SeqLayout.length(chunkOf(position).memory(), offsetOf(position));
  }

  /** A word of a block, without a segment of its own. */
  public long longAt(long position, int offset) {
    return chunkOf(position)
        .memory()
        .get(ValueLayout.JAVA_LONG_UNALIGNED, offsetOf(position) + offset);
  }

  /** A word of a block, without a segment of its own. */
  public int intAt(long position, int offset) {
    return chunkOf(position)
        .memory()
        .get(ValueLayout.JAVA_INT_UNALIGNED, offsetOf(position) + offset);
  }

  /**
   * A slice of a block for a reader, which pins its chunk.
   *
   * @param mostPinnedBytes null is returned if a chunk would be pinned anew and more were pinned
   *     then; {@link Long#MAX_VALUE} for no limit
   */
  public @Nullable CacheSlice trySlice(
      long position, int offset, int length, long mostPinnedBytes) {
    SeqChunk chunk = chunkOf(position);
    if (!chunk.isPinned() && pins.pinnedBytes() > mostPinnedBytes - chunk.pinBytes()) {
      return null;
    }
    return chunk.trySlice(offsetOf(position) + offset, length);
  }

  /** Visits the live blocks of a chunk in the order of their addresses, until it ends. */
  public void forEachLive(int chunkNumber, Visitor visitor) {
    SeqChunk chunk = chunks.get(chunkNumber);
    int offset = SeqLayout.firstOffset(options.alignment()) + SeqLayout.HEADER_BYTES;
    while (chunk != null && offset < chunk.end && chunks.get(chunkNumber) == chunk) {
      int bytes = SeqLayout.length(chunk.memory(), offset);
      if (SeqLayout.isLive(chunk.memory(), offset)) {
        visitor.visit(position(chunkNumber, offset), bytes);
      }
      offset += (int) chunk.spanBytes(bytes);
    }
  }

  /** Which chunk a position lies in. Numbers are small, and given again. */
  public static int chunkNumber(long position) {
    return (int) (position >>> Integer.SIZE);
  }

  /** Whether dead bytes are more than a 13th of what is live, and can be had by copying. */
  public boolean needsCompaction() {
    return deadSpanBytes > LEAST_DEAD_BYTES
        && deadSpanBytes > liveSpanBytes / LEFT_ALONE_DIVISOR
        && victim() != null;
  }

  /**
   * Copies stragglers out of mostly dead chunks, until few bytes are dead or so many are copied.
   * Does nothing where there is no room for the copies: the chunk that is kept for them may be used
   * up while readers pin several chunks that are half copied.
   *
   * @return how many bytes were copied; less than asked for if nothing more is to be had
   */
  public long compact(long maxBytes) {
    long before = movedBytes;
    while (movedBytes - before < maxBytes && needsCompaction()) {
      SeqChunk from = victim();
      if (from == null || !evacuate(from, maxBytes - (movedBytes - before))) {
        break;
      }
    }
    return movedBytes - before;
  }

  /** The chunk under way, or the one that gives most for each byte that is copied. */
  private @Nullable SeqChunk victim() {
    SeqChunk chosen = victim;
    if (chosen != null && !chosen.isPinned()) {
      return chosen;
    }
    chosen = null;
    double bestShare = 0;
    for (int i = 0; i < chunks.end(); i++) {
      SeqChunk chunk = chunks.get(i);
      if (chunk != null && chunk.deadSpanBytes > 0 && !chunk.isPinned()) {
        double share = (double) chunk.deadSpanBytes / chunk.heldBytes();
        if (share > bestShare) {
          bestShare = share;
          chosen = chunk;
        }
      }
    }
    victim = chosen;
    victimOffset = SeqLayout.firstOffset(options.alignment()) + SeqLayout.HEADER_BYTES;
    return chosen;
  }

  /** Whether it came as far as it should: there was room for the copies. */
  private boolean evacuate(SeqChunk from, long maxBytes) {
    forget(open, from);
    forget(tail, from);
    long copied = 0;
    while (victim == from && victimOffset < from.end) {
      int offset = victimOffset;
      int bytes = SeqLayout.length(from.memory(), offset);
      if (SeqLayout.isLive(from.memory(), offset)) {
        if (copied >= maxBytes) {
          return true;
        }
        long to = cut(bytes, options.lanes());
        if (to == NONE) {
          return false;
        }
        long old = position(from.number, offset);
        segment(to).copyFrom(from.memory().asSlice(offset, bytes));
        owner.moved(old, to, bytes);
        movedBytes += bytes;
        copied += bytes;
        victimOffset += (int) from.spanBytes(bytes);
        free(old);
      } else {
        victimOffset += (int) from.spanBytes(bytes);
      }
    }
    return true;
  }

  /** What readers pin. Any thread may read it. */
  public PinFigures pins() {
    return pins;
  }

  /** What it holds. */
  public SeqFigures figures() {
    return new SeqFigures(
        heldBytes,
        liveBytes,
        liveSpanBytes - liveBytes,
        deadSpanBytes,
        heldBytes - liveSpanBytes - deadSpanBytes,
        movedBytes,
        chunks.count());
  }

  /** Held by chunks that are the allocator's. */
  public long heldBytes() {
    return heldBytes;
  }

  /** Lets go of all chunks. Slices of readers stay valid. The allocator can be used again. */
  @Override
  public void close() {
    for (int i = chunks.end() - 1; i >= 0; i--) {
      SeqChunk chunk = chunks.get(i);
      if (chunk != null) {
        liveBytes -= chunk.liveBytes;
        liveSpanBytes -= chunk.liveSpanBytes;
        end(chunk);
      }
    }
  }

  /**
   * Walks all chunks and compares.
   *
   * @throws AssertionError where a figure is not what the walk finds
   */
  public void checkInvariants() {
    long held = 0;
    long live = 0;
    long liveSpan = 0;
    long dead = 0;
    int count = 0;
    for (int i = 0; i < chunks.end(); i++) {
      SeqChunk chunk = chunks.get(i);
      if (chunk == null) {
        continue;
      }
      count++;
      long chunkLive = 0;
      long chunkDead = 0;
      int offset = SeqLayout.firstOffset(options.alignment()) + SeqLayout.HEADER_BYTES;
      while (offset < chunk.end) {
        int bytes = SeqLayout.length(chunk.memory(), offset);
        if (SeqLayout.isLive(chunk.memory(), offset)) {
          chunkLive += chunk.spanBytes(bytes);
          live += bytes;
        } else {
          chunkDead += chunk.spanBytes(bytes);
        }
        offset += (int) chunk.spanBytes(bytes);
      }
      require(chunkLive == chunk.liveSpanBytes && chunkDead == chunk.deadSpanBytes, "chunk " + i);
      require(chunk.liveBlocks > 0, "chunk without blocks: " + i);
      held += chunk.heldBytes();
      liveSpan += chunkLive;
      dead += chunkDead;
    }
    require(held == heldBytes, "held " + heldBytes + ", found " + held);
    require(live == liveBytes, "live " + liveBytes + ", found " + live);
    require(liveSpan == liveSpanBytes, "live with headers " + liveSpanBytes + ", " + liveSpan);
    require(dead == deadSpanBytes, "dead " + deadSpanBytes + ", found " + dead);
    require(count == chunks.count(), "chunks " + chunks.count() + ", found " + count);
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  private static long position(int chunk, int offset) {
    return (long) chunk << Integer.SIZE | offset;
  }

  private static int offsetOf(long position) {
    return (int) position;
  }

  private SeqChunk chunkOf(long position) {
    SeqChunk chunk = chunks.get(chunkNumber(position));
    int offset = offsetOf(position);
    if (chunk == null || offset >= chunk.end || !SeqLayout.isLive(chunk.memory(), offset)) {
      throw new IllegalStateException(
          "no live block at position 0x%x: it was freed or has moved".formatted(position));
    }
    return chunk;
  }
}
