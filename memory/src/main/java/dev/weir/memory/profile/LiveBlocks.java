package dev.weir.memory.profile;

import java.util.List;

/**
 * Live blocks that one sample stands for.
 *
 * @param budget the path of the budget that the sampled one is charged to
 * @param blockBytes its size
 * @param requestedBytes what was asked for; the rest of the block is rounding
 * @param blocks how many such blocks are live by this sample's estimate, itself included
 * @param ageNanos how long it has been live, or has had its size
 * @param stack who allocated it, or made it grow: the innermost frame outside Weir first, at most
 *     64. In front of what Netty's own code allocated, as its read loops do, stands the handler
 *     that the buffer came to last, as {@code com.example.Handler.<touched>}
 */
public record LiveBlocks(
    String budget,
    long blockBytes,
    long requestedBytes,
    double blocks,
    long ageNanos,
    List<StackTraceElement> stack) {
  /** Copies the stack. */
  public LiveBlocks {
    stack = List.copyOf(stack);
  }

  /** Blocks that are as large as was asked for. */
  public LiveBlocks(
      String budget, long blockBytes, double blocks, long ageNanos, List<StackTraceElement> stack) {
    this(budget, blockBytes, blockBytes, blocks, ageNanos, stack);
  }

  /** The bytes of all of them, estimated. */
  public long bytes() {
    return Math.round(blockBytes * blocks);
  }

  /** What of that nobody has asked for, estimated. */
  public long roundingBytes() {
    return Math.round((blockBytes - requestedBytes) * blocks);
  }
}
