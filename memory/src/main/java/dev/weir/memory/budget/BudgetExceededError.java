package dev.weir.memory.budget;

/**
 * An allocation was refused because a budget has no room. An {@link OutOfMemoryError}, as Netty's
 * own refusals are; the pool and everything allocated from it go on. Its message has the words
 * "direct memory", as those of Netty and the JDK have, unless a heap buffer was refused.
 */
public final class BudgetExceededError extends OutOfMemoryError {
  private static final long serialVersionUID = 1L;

  private static final String ADVICE_WHERE_CLOSED = "It stays so: charge another budget.";

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
    this(message(budget, requestedBytes, detail), budget, requestedBytes);
  }

  private BudgetExceededError(String message, Budget budget, long requestedBytes) {
    super(message);
    this.budget = budget;
    this.requestedBytes = requestedBytes;
  }

  /**
   * The error of a heap buffer, which is refused by another limit.
   *
   * @param budget the node whose limit of heap buffers refused, or one that is closed
   */
  public static BudgetExceededError ofHeapBuffer(Budget budget, long requestedBytes) {
    String why =
        budget.isClosed()
            ? "closed, held %,d. %s".formatted(budget.heapBytes(), ADVICE_WHERE_CLOSED)
            : "heap limit %s, held %,d. Raise it (%sBudget.setHeapLimitBytes), or release or admit less."
                .formatted(
                    limit(budget.heapLimitBytes()),
                    budget.heldHeapBytes(),
                    budget.parent() == null ? "PoolOptions.withHeapLimit, " : "");
    String message =
        "budget '%s' has no room for %,d bytes of heap buffers: %s"
            .formatted(budget.path(), requestedBytes, why);
    return new BudgetExceededError(message, budget, requestedBytes);
  }

  /** The node whose limit refused. */
  public Budget budget() {
    return budget;
  }

  /** What was asked for, in bytes; of a block that grows where it lies, what it lacked. */
  public long requestedBytes() {
    return requestedBytes;
  }

  private static String message(Budget budget, long requestedBytes, String detail) {
    String largest = budget.largestNames();
    boolean closed = budget.isClosed();
    return "budget '%s' has no room for %,d bytes of direct memory: %s, %s%s. %s"
        .formatted(
            budget.path(),
            requestedBytes,
            closed ? "closed" : "limit " + limit(budget.limitBytes()),
            detail,
            largest.isEmpty() ? "" : "; largest children: " + largest,
            closed ? ADVICE_WHERE_CLOSED : "Raise the limit, or release or admit less.");
  }

  private static String limit(long bytes) {
    return bytes == Budget.UNLIMITED ? "none" : "%,d".formatted(bytes);
  }
}
