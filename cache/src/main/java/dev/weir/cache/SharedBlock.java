package dev.weir.cache;

import dev.weir.memory.Block;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A block of a pool that a cache owns and readers have slices of. The block goes back to its pool
 * when the cache has let go of it and the last slice is released. Until then it stays charged.
 *
 * <p>Readers release on any thread. {@link #trySlice} may be called by any thread too. The rest is
 * the owner's: one thread at a time.
 */
public final class SharedBlock {
  /** One word: this bit while the cache owns it, and {@link #READER} for each slice. */
  private static final int OWNED = 1;

  private static final int READER = 2;
  private static final int MAX_READERS = (Integer.MAX_VALUE - OWNED) / READER;

  private final Block block;
  private final long pinBytes;
  private final PinFigures figures;
  private final AtomicInteger state = new AtomicInteger(OWNED);

  /**
   * Takes over a block.
   *
   * @param pinBytes what it counts for while readers pin it; it does not change as the block grows
   */
  public SharedBlock(Block block, long pinBytes, PinFigures figures) {
    this.block = block;
    this.pinBytes = pinBytes;
    this.figures = figures;
  }

  /** What it counts for while readers pin it. */
  public long pinBytes() {
    return pinBytes;
  }

  /** Whether there is a slice of it. */
  public boolean isPinned() {
    return state.get() >= READER;
  }

  /**
   * A slice, to be released by the caller.
   *
   * @return null if the cache has let go of the block
   */
  public @Nullable CacheSlice trySlice(MemorySegment bytes) {
    CacheSlice slice = new CacheSlice(this, bytes.asReadOnly());
    return tryPin(OWNED) ? slice : null;
  }

  /** A further slice, beside one that the caller holds. */
  CacheSlice sliceBeside(MemorySegment bytes) {
    CacheSlice slice = new CacheSlice(this, bytes);
    if (!tryPin(0)) {
      throw new IllegalStateException("memory of a cache has been released already");
    }
    return slice;
  }

  private boolean tryPin(int needed) {
    int found;
    do {
      found = state.get();
      if ((found & needed) != needed || found == 0) {
        return false;
      }
      if (found / READER == MAX_READERS) {
        throw new IllegalStateException(
            "a block of a cache has %,d slices, as many as it can: release some"
                .formatted(MAX_READERS));
      }
    } while (!state.compareAndSet(found, found + READER));
    if (found < READER) {
      figures.addPinned(pinBytes);
    }
    return true;
  }

  void unpin() {
    int found = state.getAndAdd(-READER);
    if (found / READER == 1) {
      figures.addPinned(-pinBytes);
    }
    if (found == READER) {
      figures.addOrphaned(-block.size());
      block.release();
    }
  }

  /**
   * The cache lets go of it. The owner's, once.
   *
   * @return whether the block has gone back to its pool; if not, readers pin it
   */
  public boolean drop() {
    long bytes = block.size(); // Afterwards the last reader may release it at any moment.
    int found;
    do {
      found = state.get();
      if ((found & OWNED) == 0) {
        throw new IllegalStateException("a cache has let go of this block already");
      }
    } while (!state.compareAndSet(found, found - OWNED));
    if (found == OWNED) {
      block.release();
      return true;
    }
    figures.addOrphaned(bytes);
    return false;
  }
}
