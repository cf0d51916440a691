package dev.weir.cache.seq;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.PinFigures;
import dev.weir.cache.SharedBlock;
import dev.weir.memory.Block;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A run of pages that blocks are cut out of, one after another. It takes pages as it is filled.
 * Belongs to its allocator's thread, but for what readers do with slices.
 */
final class SeqChunk {
  /** So many times a chunk takes pages: of 4 MiB, 64 KiB each time. */
  private static final int STEPS = 64;

  final int number;
  final int maxBytes;
  private final int alignment;
  private final Block block;
  private final SharedBlock shared;
  private MemorySegment memory;

  /** Where the next header goes. */
  int end;

  int liveBlocks;

  /** As asked for. */
  long liveBytes;

  /** With headers and padding. */
  long liveSpanBytes;

  long deadSpanBytes;

  SeqChunk(int number, int maxBytes, int alignment, Block block, PinFigures pins) {
    this.number = number;
    this.maxBytes = maxBytes;
    this.alignment = alignment;
    this.block = block;
    this.shared = new SharedBlock(block, maxBytes, pins);
    this.memory = block.segment();
    this.end = SeqLayout.firstOffset(alignment);
  }

  MemorySegment memory() {
    return memory;
  }

  long heldBytes() {
    return memory.byteSize();
  }

  long unusedBytes() {
    return heldBytes() - liveSpanBytes - deadSpanBytes;
  }

  boolean isPinned() {
    return shared.isPinned();
  }

  long pinBytes() {
    return shared.pinBytes();
  }

  /** Whether a block fits behind the last one, in memory that is held already. */
  boolean fitsHeld(long spanBytes) {
    return end + spanBytes <= heldBytes();
  }

  /** Makes room for a block behind the last one; asks nobody for memory. */
  boolean tryMakeRoom(long spanBytes) {
    if (fitsHeld(spanBytes)) {
      return true;
    }
    long needed = end + spanBytes;
    if (needed > maxBytes) {
      return false;
    }
    // The pool keeps the address: up to 4 MiB a block grows where it lies.
    long wanted = Math.min(maxBytes, Math.max(needed, heldBytes() + maxBytes / STEPS));
    if (!block.tryGrowAtOnce(wanted) && !block.tryGrowAtOnce(needed)) {
      return false;
    }
    memory = block.segment();
    return true;
  }

  /** Cuts a block for which there is room, and tells its offset. */
  int cut(int bytes) {
    int offset = end + SeqLayout.HEADER_BYTES;
    long spanBytes = spanBytes(bytes);
    SeqLayout.setLive(memory, offset, bytes);
    end += (int) spanBytes;
    liveBlocks++;
    liveBytes += bytes;
    liveSpanBytes += spanBytes;
    return offset;
  }

  void free(int offset, int bytes) {
    long spanBytes = spanBytes(bytes);
    SeqLayout.setDead(memory, offset);
    liveBlocks--;
    liveBytes -= bytes;
    liveSpanBytes -= spanBytes;
    deadSpanBytes += spanBytes;
  }

  long spanBytes(int bytes) {
    return SeqLayout.spanBytes(bytes, alignment);
  }

  @Nullable CacheSlice trySlice(int offset, long bytes) {
    return shared.trySlice(memory.asSlice(offset, bytes));
  }

  void drop() {
    shared.drop();
  }
}
