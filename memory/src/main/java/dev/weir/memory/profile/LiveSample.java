package dev.weir.memory.profile;

import dev.weir.memory.budget.Budget;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A live block that was sampled: it stands for others of its size. Ends with the block.
 *
 * <p>Thread-safe.
 */
public final class LiveSample {
  private static final VarHandle STACK;

  static {
    try {
      STACK = MethodHandles.lookup().findVarHandle(LiveSample.class, "stack", SampledStack.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final LiveTable table;
  private final Budget budget;
  private final double blocks;
  private final long takenNanos;
  private volatile long blockBytes;
  private volatile long requestedBytes;

  /**
   * As it was taken, or once somebody has looked its frames, which samples of the same place share.
   * Null once the block is released: whoever still refers to the sample does not keep a stack.
   */
  private volatile @Nullable SampledStack stack;

  LiveSample(
      LiveTable table, AllocationStack stack, Budget budget, double blocks, long countedBytes) {
    this.table = table;
    this.stack = stack;
    this.budget = budget;
    this.blocks = blocks;
    this.takenNanos = System.nanoTime();
    this.blockBytes = countedBytes;
    this.requestedBytes = countedBytes;
  }

  /** So much was asked for, where that is not what was counted. */
  public void request(long bytes) {
    requestedBytes = bytes;
  }

  /** Initializes the class: at the end of a stack that would fail, and for good. */
  static void load() {}

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

  /** How long the block has been live. */
  long ageNanos(long nowNanos) {
    return Math.max(0, nowNanos - takenNanos);
  }

  /** Null if it has just ended. */
  @Nullable LiveBlocks look(long nowNanos) {
    SampledStack seen = stack;
    if (seen == null) {
      return null;
    }
    if (!(seen instanceof SampledStack.Named)) {
      SampledStack named = table.named(seen.frames());
      // Lost where the block is released at the same moment.
      STACK.compareAndSet(this, seen, named);
      seen = named;
    }
    return new LiveBlocks(
        budget.path(),
        blockBytes,
        Math.min(requestedBytes, blockBytes),
        blocks,
        ageNanos(nowNanos),
        seen.frames());
  }
}
