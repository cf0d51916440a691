package dev.weir.memory.budget;

import java.util.stream.Collectors;

/**
 * An allocation was refused because a budget has no room. An {@link OutOfMemoryError}, as Netty's
 * own refusals are; the pool and everything allocated from it go on.
 */
public final class BudgetExceededError extends OutOfMemoryError {
  private static final long serialVersionUID = 1L;
  private static final int CHILDREN_NAMED = 3;

  private final transient Budget budget;
  private final long requestedBytes;

  /**
   * Creates the error.
   *
   * @param budget the node whose limit refused
   * @param requestedBytes what was asked for
   * @param detail what is used of the limit, in words
   */
  public BudgetExceededError(Budget budget, long requestedBytes, String detail) {
    super(message(budget, requestedBytes, detail));
    this.budget = budget;
    this.requestedBytes = requestedBytes;
  }

  /** The node whose limit refused. */
  public Budget budget() {
    return budget;
  }

  /** What was asked for, in bytes. */
  public long requestedBytes() {
    return requestedBytes;
  }

  private static String message(Budget budget, long requestedBytes, String detail) {
    String largest =
        budget.largestChildren(CHILDREN_NAMED).top().stream()
            .map(child -> "%s %,d".formatted(child.budget().name(), child.chargedBytes()))
            .collect(Collectors.joining(", "));
    return "budget '%s' has no room for %,d bytes: limit %,d, %s%s. Raise the limit, or release or admit less."
        .formatted(
            budget.path(),
            requestedBytes,
            budget.limitBytes(),
            detail,
            largest.isEmpty() ? "" : "; largest children: " + largest);
  }
}
