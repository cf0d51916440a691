package dev.weir.memory.budget;

/**
 * An allocation was refused because a budget has no room. An {@link OutOfMemoryError}, as Netty's
 * own refusals are; the pool and everything allocated from it go on.
 */
public final class BudgetExceededError extends OutOfMemoryError {
  private static final long serialVersionUID = 1L;

  private final transient Budget budget;
  private final long requestedBytes;

  /**
   * Creates the error. Its message names the children of the budget that hold most, as they were
   * now or shortly before: so that it is made in about a microsecond, however many there are.
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
    String largest = budget.largestNames();
    return "budget '%s' has no room for %,d bytes: limit %,d, %s%s. Raise the limit, or release or admit less."
        .formatted(
            budget.path(),
            requestedBytes,
            budget.limitBytes(),
            detail,
            largest.isEmpty() ? "" : "; largest children: " + largest);
  }
}
