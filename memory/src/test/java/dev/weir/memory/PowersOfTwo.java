package dev.weir.memory;

import dev.weir.memory.heap.Block;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.testing.TouchedPages;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The program that no allocator survives in less than M · log2(n) / 2 addresses (J. M. Robson, "An
 * estimate of the store size necessary for dynamic storage allocation", Journal of the ACM 18,
 * 1971), against a whole pool: in phase i it keeps only the blocks that lie on an address f modulo
 * 2^i, for the better of the two f that continue the last one, and fills up with blocks of 2^i
 * until the pool refuses one.
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
    long f = 0;
    for (long size = PAGE_BYTES; size <= pool.limitBytes() / 2; size *= 2) {
      long step = size;
      long other = f + size / 2;
      f = worth(step, f) >= worth(step, other) ? f : other;
      long kept = f;
      live.removeIf(block -> {
        boolean frees = !occupies(block, step, kept);
        if (frees) {
          touched.remove(block);
          block.release();
        }
        return frees;
      });
      fill(size);
    }
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

  private long worth(long step, long f) {
    return live.stream()
        .filter(block -> occupies(block, step, f))
        .mapToLong(block -> step - block.size())
        .sum();
  }

  private static boolean occupies(Block block, long step, long f) {
    return Math.floorMod(f - block.address(), step) < block.size();
  }
}
