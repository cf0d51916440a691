package dev.weir.memory;

import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.testing.RobsonPhases;
import dev.weir.memory.testing.TouchedPages;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * {@link RobsonPhases} against a whole pool: each phase fills up with blocks of its size until one
 * is not to be had.
 */
final class PowersOfTwo {
  private static final long PAGE_BYTES = 4096;

  private final LongFunction<@Nullable Block> allocator;
  private final long largestBytes;
  private final LongConsumer judge;
  private final TouchedPages touched = new TouchedPages();
  private final List<Block> live = new ArrayList<>();
  private long runsBegin = Long.MAX_VALUE;
  private long runsEnd;

  /**
   * Prepares it, for a pool of its own.
   *
   * @param judge called with the size of each request that was refused
   */
  PowersOfTwo(Pool pool, LongConsumer judge) {
    this(pool::tryAllocate, pool.limitBytes() / 2, judge);
  }

  /**
   * Prepares it, for a share of a pool.
   *
   * @param allocator null where no more is to be had
   * @param largestBytes the blocks of the last phase have no more
   * @param judge called with the size of the first request of each phase that got nothing
   */
  PowersOfTwo(LongFunction<@Nullable Block> allocator, long largestBytes, LongConsumer judge) {
    this.allocator = allocator;
    this.largestBytes = largestBytes;
    this.judge = judge;
  }

  void run() {
    RobsonPhases<Block> phases =
        new RobsonPhases<>(live, Block::address, Block::size, this::release);
    for (long size = PAGE_BYTES; size <= largestBytes; size *= 2) {
      phases.begin(size);
      fill(size);
    }
  }

  private void release(Block block) {
    touched.remove(block);
    block.release();
  }

  void releaseAll() {
    live.forEach(Block::release);
    live.clear();
  }

  /** What is live, in the order of allocation. */
  List<Block> live() {
    return live;
  }

  /** The pages on which it lies. */
  TouchedPages touched() {
    return touched;
  }

  /** The lowest address at which a run has begun. */
  long runsBegin() {
    return runsBegin;
  }

  /** The highest address at which a run has ended. */
  long runsEnd() {
    return runsEnd;
  }

  /** The most bytes of addresses over which runs have been scattered. */
  long runsSpreadBytes() {
    return runsEnd - runsBegin;
  }

  private void fill(long size) {
    @Nullable Block block;
    while ((block = allocator.apply(size)) != null) {
      touched.add(block);
      live.add(block);
      if (size > SizeClasses.MAX_SLOT_BYTES) {
        runsBegin = Math.min(runsBegin, block.address());
        runsEnd = Math.max(runsEnd, block.address() + size);
      }
    }
    judge.accept(size);
  }
}
