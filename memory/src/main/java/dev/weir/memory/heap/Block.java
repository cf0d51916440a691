package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that was allocated from a pool: one slot of a slab, or one run of pages.
 *
 * <p>A block is used by one thread at a time; handing it to another needs the usual happens-before
 * edge. Any thread may release it, once. A slot keeps its {@code Block} object for as long as its
 * slab lives: a released block that is still at hand is refused until the slot is used again, and
 * after that it is the next owner's.
 */
public abstract sealed class Block implements AutoCloseable permits SlotBlock, RunBlock {
  private final long address;
  private Budget budget;
  private @Nullable Object attachment;
  private boolean live;

  Block(long address, Budget budget) {
    this.address = address;
    this.budget = budget;
  }

  /** Its first byte; a multiple of 16, of a run: of the page. */
  public final long address() {
    return address;
  }

  /** Its usable bytes: the slot's, or those of whole pages. At least what was asked for. */
  public abstract long size();

  /**
   * Its memory as a segment of {@link #size()} bytes, which keeps the pool's addresses. The
   * contents are undefined. Not to be used after release.
   */
  public final MemorySegment segment() {
    requireLive();
    return pages().reservation().slice(address, size());
  }

  /** Where it comes from. */
  abstract PageHeap pages();

  /** The budget it is charged to. */
  public final Budget budget() {
    return budget;
  }

  /** What {@link #attachment(Object)} set, perhaps during an earlier life of the slot. */
  public final @Nullable Object attachment() {
    return attachment;
  }

  /**
   * Hangs an object on the slot (or run), which stays there until it is replaced or the slab is
   * gone.
   */
  public final void attachment(@Nullable Object object) {
    attachment = object;
  }

  /**
   * Grows in place. Runs that change their size are outside the theorem behind the pool's bound:
   * they are placed and refused by what addresses are free.
   *
   * @return whether {@link #size()} is at least {@code minBytes} now; if not, nothing has changed
   * @throws IllegalStateException if it has been released
   */
  public abstract boolean tryGrow(long minBytes);

  /**
   * Gives pages at the end back. The hole that this leaves is outside the theorem behind the pool's
   * bound, as with {@link #tryGrow}: prefer a smaller block where many are shrunk.
   *
   * @param minBytes what must stay
   * @return whether any page was given back
   * @throws IllegalStateException if it has been released
   */
  public abstract boolean tryShrink(long minBytes);

  /**
   * Gives the memory back. Any thread.
   *
   * @throws IllegalStateException if it has been released already and not been allocated again
   */
  public abstract void release();

  /** The same as {@link #release()}. */
  @Override
  public final void close() {
    release();
  }

  /** Begins a life of the block. */
  final void begin(Budget owner) {
    live = true;
    if (budget != owner) {
      budget = owner;
    }
  }

  /** Ends a life of the block and takes its charge back. */
  final void end() {
    requireLive();
    live = false;
    if (budget.isTracked()) {
      budget.uncharge(size());
    }
  }

  final void requireLive() {
    if (!live) {
      throw new IllegalStateException(
          "block of %,d bytes at 0x%x has been released already".formatted(size(), address));
    }
  }

  @Override
  public String toString() {
    return "Block[0x%x, %,d bytes, %s, %s]"
        .formatted(address, size(), budget.path(), live ? "live" : "free");
  }
}
