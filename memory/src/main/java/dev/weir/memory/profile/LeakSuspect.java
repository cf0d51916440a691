package dev.weir.memory.profile;

import java.util.List;

/**
 * A place in the code whose old blocks become more and more. Bytes and blocks are estimates, and
 * those of old blocks alone.
 *
 * @param stack the place: the innermost frame outside Weir first
 * @param budget the path of the budget that most of it is charged to
 * @param budgets how many budgets it is charged to
 * @param bytes the sizes of the blocks
 * @param blocks how many there are
 * @param samples from how many samples that is known
 * @param oldestNanos the age of the oldest sample
 * @param growthBytesPerSecond how fast the bytes have become more
 * @param growingNanos for how long that has been seen
 */
public record LeakSuspect(
    List<StackTraceElement> stack,
    String budget,
    int budgets,
    long bytes,
    long blocks,
    int samples,
    long oldestNanos,
    long growthBytesPerSecond,
    long growingNanos) {
  /** Copies the stack. */
  public LeakSuspect {
    stack = List.copyOf(stack);
  }
}
