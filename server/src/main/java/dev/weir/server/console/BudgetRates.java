package dev.weir.server.console;

import dev.weir.memory.view.BudgetView;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How fast is allocated for each budget, over the last 5 to 10 s. Of budgets that were not seen for
 * so long it is not known. For one thread.
 */
final class BudgetRates {
  /** Long enough for some samples of what is allocated at a megabyte a second. */
  private static final long WINDOW_NANOS = 5_000_000_000L;

  /** With nobody watching, what was seen last is too old to be compared with. */
  private static final long MAX_NANOS = 4 * WINDOW_NANOS;

  private static final double NANOS_PER_SECOND = 1e9;

  private record Look(long nanos, Map<Integer, Long> allocatedBytes) {}

  private @Nullable Look older;
  private @Nullable Look newer;
  private long nowNanos;

  /** Takes notice of all budgets of a view; rates are those up to it. */
  void look(BudgetView root, long atNanos) {
    nowNanos = atNanos;
    Look last = newer;
    if (last == null || atNanos - last.nanos >= WINDOW_NANOS) {
      older = last != null && atNanos - last.nanos <= MAX_NANOS ? last : null;
      Map<Integer, Long> bytes = new HashMap<>();
      collect(root, bytes);
      newer = new Look(atNanos, bytes);
    }
  }

  private static void collect(BudgetView budget, Map<Integer, Long> bytes) {
    bytes.put(budget.number(), budget.allocatedBytes());
    budget.children().forEach(child -> collect(child, bytes));
  }

  /**
   * Bytes a second.
   *
   * @param budget of the view that was looked at last
   * @return null if it is not known
   */
  @Nullable Long perSecond(BudgetView budget) {
    Look since = older;
    Long before = since == null ? null : since.allocatedBytes.get(budget.number());
    if (since == null || before == null || before > budget.allocatedBytes()) {
      return null;
    }
    return Math.round(
        (budget.allocatedBytes() - before) * NANOS_PER_SECOND / (nowNanos - since.nanos));
  }
}
