package dev.weir.memory.profile;

import dev.weir.memory.budget.Budget;
import org.jspecify.annotations.Nullable;

/**
 * A live block that was sampled: it stands for others of its size. Ends with the block.
 *
 * <p>Thread-safe.
 */
public final class LiveSample {
  private final LiveTable table;
  private final Budget budget;
  private final double blocks;
  private final long takenNanos;
  private volatile long blockBytes;

  /** Null once the block is released: whoever still refers to the sample does not keep a stack. */
  private volatile @Nullable AllocationStack stack;

  LiveSample(
      LiveTable table, AllocationStack stack, Budget budget, double blocks, long blockBytes) {
    this.table = table;
    this.stack = stack;
    this.budget = budget;
    this.blocks = blocks;
    this.takenNanos = System.nanoTime();
    this.blockBytes = blockBytes;
  }

  /** The block has this size, now that it has been allocated or has grown. */
  public void resize(long bytes) {
    blockBytes = bytes;
  }

  /** The block has been released. Further calls do nothing. */
  public void end() {
    stack = null;
    try {
      table.remove(this);
    } catch (OutOfMemoryError | StackOverflowError e) {
      // Without its stack it is in no profile; at worst it keeps a place in the table.
    }
  }

  /** Null if it has just ended. */
  @Nullable LiveBlocks look(long nowNanos) {
    AllocationStack taken = stack;
    return taken == null
        ? null
        : new LiveBlocks(
            budget.path(), blockBytes, blocks, Math.max(0, nowNanos - takenNanos), taken.frames());
  }
}
