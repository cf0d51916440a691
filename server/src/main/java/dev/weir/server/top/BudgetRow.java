package dev.weir.server.top;

import java.util.ArrayList;
import java.util.List;

/**
 * A budget on one line.
 *
 * @param text name, what is charged, limit, peak, and how fast is allocated
 * @param pressed whether it is close to its limit; then its pressure is in the text
 */
record BudgetRow(String text, boolean pressed) {
  private static final String COLUMNS = "%-24.24s %10s %10s %10s %10s";

  /** Of each budget; there may be one for every connection. */
  private static final int MAX_CHILDREN = 5;

  private static final int MAX_INDENT = 6;

  static String head() {
    return COLUMNS.formatted("budget", "charged", "limit", "peak", "alloc/s");
  }

  /** A budget, the largest of those below it, and what the others have together. */
  static List<BudgetRow> of(Figures root) {
    List<BudgetRow> rows = new ArrayList<>();
    collect(root, 0, rows);
    return rows;
  }

  private static void collect(Figures budget, int depth, List<BudgetRow> rows) {
    rows.add(row(budget, depth));
    List<Figures> children = budget.children("children");
    int shown = Math.min(MAX_CHILDREN, children.size());
    children.subList(0, shown).forEach(child -> collect(child, depth + 1, rows));
    long others = children.size() - shown + budget.number("otherChildren");
    if (others > 0) {
      long bytes =
          budget.number("otherBytes")
              + children.subList(shown, children.size()).stream()
                  .mapToLong(child -> child.number("chargedBytes"))
                  .sum();
      String name = indent(depth + 1) + Units.count(others) + " more";
      rows.add(text(false, name, Units.bytes(bytes), "", "", ""));
    }
  }

  private static BudgetRow row(Figures budget, int depth) {
    boolean limited = budget.has("limitBytes");
    String pressure = budget.text("pressure");
    boolean pressed = !pressure.isEmpty() && !pressure.equals("none");
    boolean rated = budget.has("allocatedBytesPerSecond");
    return text(
        pressed,
        indent(depth) + budget.text("name"),
        Units.bytes(budget.number("chargedBytes")),
        limited ? Units.bytes(budget.number("limitBytes")) : "none",
        Units.bytes(budget.number("peakBytes")),
        (rated ? Units.bytes(budget.number("allocatedBytesPerSecond")) : "")
            + (pressed ? "  " + pressure : ""));
  }

  private static String indent(int depth) {
    return "  ".repeat(Math.min(depth, MAX_INDENT));
  }

  private static BudgetRow text(
      boolean pressed, String name, String charged, String limit, String peak, String rate) {
    return new BudgetRow(
        COLUMNS.formatted(name, charged, limit, peak, rate).stripTrailing(), pressed);
  }
}
