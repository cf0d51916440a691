package dev.weir.memory;

import dev.weir.memory.heap.Block;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.testing.RobsonPhases;
import dev.weir.memory.testing.TouchedPages;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * {@link RobsonPhases} against a whole pool: each phase fills up with blocks of its size until the
 * pool refuses one.
 */
final class PowersOfTwo {
  private static final long PAGE_BYTES = 4096;

  private final Pool pool;
  private final LongConsumer judge;
  private final TouchedPages touched = new TouchedPages();
  private final List<Block> live = new ArrayList<>();
  private long runsBegin = Long.MAX_VALUE;
  private long runsEnd;

  /**
   * Prepares it.
   *
   * @param judge called with the size of each request that was refused
   */
  PowersOfTwo(Pool pool, LongConsumer judge) {
    this.pool = pool;
    this.judge = judge;
  }

  void run() {
    RobsonPhases<Block> phases =
        new RobsonPhases<>(live, Block::address, Block::size, this::release);
    for (long size = PAGE_BYTES; size <= pool.limitBytes() / 2; size *= 2) {
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

  /** The most bytes of addresses over which runs have been scattered. */
  long runsSpreadBytes() {
    return runsEnd - runsBegin;
  }

  private void fill(long size) {
    @Nullable Block block;
    while ((block = pool.tryAllocate(size)) != null) {
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
