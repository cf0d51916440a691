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

  private record Look(long nanos, Map<String, Long> allocatedBytes) {}

  private @Nullable Look older;
  private @Nullable Look newer;
  private long nowNanos;

  /** Takes notice of all budgets of a view; rates are those up to it. */
  void look(BudgetView root, long atNanos) {
    nowNanos = atNanos;
    Look last = newer;
    if (last == null || atNanos - last.nanos >= WINDOW_NANOS) {
      older = last != null && atNanos - last.nanos <= MAX_NANOS ? last : null;
      Map<String, Long> bytes = new HashMap<>();
      collect(root, root.name(), bytes);
      newer = new Look(atNanos, bytes);
    }
  }

  private static void collect(BudgetView budget, String path, Map<String, Long> bytes) {
    bytes.put(path, budget.allocatedBytes());
    budget.children().forEach(child -> collect(child, path + "/" + child.name(), bytes));
  }

  /**
   * Bytes a second.
   *
   * @param path the budget's, from the root on
   * @param allocatedBytes its figure in the view that was looked at last
   * @return null if it is not known
   */
  @Nullable Long perSecond(String path, long allocatedBytes) {
    Look since = older;
    Long before = since == null ? null : since.allocatedBytes.get(path);
    if (since == null || before == null || before > allocatedBytes) {
      return null;
    }
    return Math.round((allocatedBytes - before) * NANOS_PER_SECOND / (nowNanos - since.nanos));
  }
}
