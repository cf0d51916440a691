package dev.weir.memory.profile;

import java.util.List;

/**
 * What one place in the code holds for one budget. Bytes and blocks are estimates.
 *
 * @param budget the path of the budget
 * @param stack the place: the innermost frame outside Weir first
 * @param bytes the sizes of the live blocks
 * @param blocks how many there are
 * @param samples from how many samples that is known
 * @param oldestNanos the age of the oldest sample
 */
public record LiveSite(
    String budget,
    List<StackTraceElement> stack,
    long bytes,
    long blocks,
    int samples,
    long oldestNanos) {
  /** Copies the stack. */
  public LiveSite {
    stack = List.copyOf(stack);
  }
}
