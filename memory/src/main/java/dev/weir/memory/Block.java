package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Misuse.Kind;
import dev.weir.memory.heap.BlockContainer;
import dev.weir.memory.heap.BlockFactory;
import dev.weir.memory.sampling.LiveSample;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that was allocated from a pool: one slot of a slab, or one run of pages.
 *
 * <p>A block is used by one thread at a time; handing it to another needs the usual happens-before
 * edge. Any thread may release it, once. A slot keeps its {@code Block} object for as long as its
 * slab lives, and a run that is free may lend its own to another: a released block that is still at
 * hand is refused until the object is used again, and after that it is the next owner's. A
 * {@linkplain dev.weir.memory.hardening.Hardening hardened} block is refused for ever, and its
 * segment is closed.
 */
public final class Block implements AutoCloseable {
  private final BlockContainer home;
  private final int number;
  private Budget budget;
  private boolean live;

  /** What the pool's profile knows of it, if it has been sampled. */
  private @Nullable LiveSample sample;

  /** How a block comes by more memory. */
  @FunctionalInterface
  interface Growth {
    /** As {@link BlockContainer#tryGrow}. */
    boolean tryGrow(BlockContainer home, long minBytes, Budget budget);
  }

  private Block(BlockContainer home, int number, Budget budget) {
    this.home = home;
    this.number = number;
    this.budget = budget;
  }

  /**
   * Finds or makes the block of a slot or run and begins its life.
   *
   * @param budget has been charged for it
   */
  static BlockFactory<Block> factory(Budget budget) {
    return (home, number, found) -> {
      Block block;
      if (found instanceof Block left) {
        block = left;
      } else {
        block = new Block(home, number, budget);
        home.leave(number, block);
      }
      block.begin(budget);
      return block;
    };
  }

  /** Its first byte; a multiple of 16, above 64 KiB of a page. */
  public long address() {
    return home.blockAddress(number);
  }

  /** Its usable bytes: the slot's, or those of whole pages. At least what was asked for. */
  public long size() {
    return home.blockBytes();
  }

  /**
   * Its memory as a segment of {@link #size()} bytes, which keeps the pool's addresses. The
   * contents are undefined. Not to be used after release.
   */
  public MemorySegment segment() {
    requireLive(Kind.USE_AFTER_RELEASE);
    return home.segment(number);
  }

  /** The budget it is charged to. */
  public Budget budget() {
    return budget;
  }

  /**
   * Grows. A block from {@code Pool.allocateGrowing} does so for as long as limit and budget have
   * room, and keeps its contents: its pages are moved, not copied, where the system can move them,
   * and {@link #address()} is another then; what it takes at the limit is made room for as for an
   * allocation. Any other block only has what its slot or its last page has left.
   *
   * <p>A segment that was taken before must not be used afterwards.
   *
   * @return whether {@link #size()} is at least {@code minBytes} now; if not, nothing has changed
   * @throws IllegalStateException if it has been released
   */
  public boolean tryGrow(long minBytes) {
    return tryGrow(minBytes, BlockContainer::tryGrow);
  }

  /**
   * As {@link #tryGrow}, with what is free now, or dirty: nobody is asked for room. For a block
   * from {@link Pool#tryAllocateGrowingAtOnce}.
   *
   * @throws IllegalStateException if it has been released
   */
  public boolean tryGrowAtOnce(long minBytes) {
    return tryGrow(minBytes, BlockContainer::tryGrowAtOnce);
  }

  /** The same by other means. */
  boolean tryGrow(long minBytes, Growth means) {
    requireLive(Kind.USE_AFTER_RELEASE);
    boolean large = means.tryGrow(home, minBytes, budget);
    LiveSample known = sample;
    if (known != null && large) {
      known.resize(size());
      known.request(minBytes);
    }
    return large;
  }

  /**
   * Gives the memory back. Any thread.
   *
   * @throws IllegalStateException if it has been released already and not been allocated again
   */
  public void release() {
    requireLive(Kind.SECOND_RELEASE);
    live = false;
    LiveSample known = sample;
    sample = null;
    try {
      if (known != null) {
        known.end();
      }
    } finally {
      home.release(number, budget);
    }
  }

  /** The same as {@link #release()}. */
  @Override
  public void close() {
    release();
  }

  private void begin(Budget owner) {
    live = true;
    if (budget != owner) {
      budget = owner;
    }
  }

  /** The pool's profile has sampled it: the sample ends with the block. */
  void watchedBy(LiveSample newSample) {
    sample = newSample;
    newSample.resize(size());
  }

  /** What the pool's profile knows of it; null if it has not been sampled. */
  @Nullable LiveSample sample() {
    return sample;
  }

  /**
   * Ends the life of this object but not of the memory, which {@code heir} stands for from now on,
   * the charge and the {@linkplain #sample() sample} included.
   *
   * @param heir leaves nothing at the slot, which only allocations may: another thread may be at it
   * @throws IllegalStateException if it has been released
   */
  <T> T handOverTo(BlockFactory<T> heir) {
    requireLive(Kind.USE_AFTER_RELEASE);
    T object = heir.create(home, number, null);
    live = false;
    sample = null;
    return object;
  }

  private void requireLive(Kind mistake) {
    if (!live) {
      throw released(mistake);
    }
  }

  private IllegalStateException released(Kind mistake) {
    String what =
        "block of %,d bytes at 0x%x has been released already".formatted(size(), address());
    BlockHistory known = home.history();
    return known == null ? new IllegalStateException(what) : known.misused(mistake, what);
  }

  /** Who allocated it and who released it, if it is hardened; null if it is not. */
  public @Nullable BlockHistory history() {
    return home.history();
  }

  @Override
  public String toString() {
    return "Block[0x%x, %,d bytes, %s, %s]"
        .formatted(address(), size(), budget.path(), live ? "live" : "free");
  }
}
