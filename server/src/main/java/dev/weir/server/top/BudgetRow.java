package dev.weir.server.top;

import java.util.ArrayList;
import java.util.List;

/**
 * A budget on one line.
 *
 * @param text name, what is charged, limit, peak, how fast is allocated, and the part of what is
 *     charged that samples say was not asked for; in wide lines also the part that was
 * @param pressed whether it is close to its limit; then its pressure is in the text
 */
record BudgetRow(String text, boolean pressed) {
  /** In narrower lines the pressure would find no place behind all figures. */
  private static final int WIDE_COLUMNS = 90;

  /** Of each budget; there may be one for every connection. */
  private static final int MAX_CHILDREN = 5;

  private static final int MAX_INDENT = 6;
  private static final int NAME_COLUMNS = 20;

  static String head(int columns) {
    return line(
        columns, "budget", List.of("charged", "limit", "peak", "alloc/s", "~round", "~asked"));
  }

  /**
   * A budget, the largest of those below it, and what the others have together.
   *
   * @param columns the width of the lines
   */
  static List<BudgetRow> of(Figures root, int columns) {
    List<BudgetRow> rows = new ArrayList<>();
    collect(root, 0, columns, rows);
    return rows;
  }

  private static void collect(Figures budget, int depth, int columns, List<BudgetRow> rows) {
    rows.add(row(budget, depth, columns));
    List<Figures> children = budget.children("children");
    int shown = Math.min(MAX_CHILDREN, children.size());
    children.subList(0, shown).forEach(child -> collect(child, depth + 1, columns, rows));
    long others = children.size() - shown + budget.number("otherChildren");
    if (others > 0) {
      long bytes =
          budget.number("otherBytes")
              + children.subList(shown, children.size()).stream()
                  .mapToLong(child -> child.number("chargedBytes"))
                  .sum();
      String name = indent(depth + 1) + Units.count(others) + " more";
      rows.add(
          new BudgetRow(
              line(columns, name, List.of(Units.bytes(bytes), "", "", "", "", "")), false));
    }
  }

  private static BudgetRow row(Figures budget, int depth, int columns) {
    String pressure = budget.text("pressure");
    boolean pressed = !pressure.isEmpty() && !pressure.equals("none");
    Figures estimate = budget.child("estimate");
    String text =
        line(
            columns,
            indent(depth) + budget.text("name"),
            List.of(
                Units.bytes(budget.number("chargedBytes")),
                budget.has("limitBytes") ? bytes(budget, "limitBytes", "") : "none",
                Units.bytes(budget.number("peakBytes")),
                bytes(budget, "allocatedBytesPerSecond", ""),
                bytes(estimate, "roundingBytes", "~"),
                bytes(estimate, "requestedBytes", "~")));
    return new BudgetRow(pressed ? text + "  " + pressure : text, pressed);
  }

  /** Empty if it is not known. */
  private static String bytes(Figures figures, String name, String before) {
    return figures.has(name) ? before + Units.bytes(figures.number(name)) : "";
  }

  private static String indent(int depth) {
    return "  ".repeat(Math.min(depth, MAX_INDENT));
  }

  private static String line(int columns, String name, List<String> figures) {
    StringBuilder line = new StringBuilder("%-20s".formatted(Line.cut(name, NAME_COLUMNS)));
    figures.stream()
        .limit(columns < WIDE_COLUMNS ? figures.size() - 1 : figures.size())
        .forEach(figure -> line.append(" %9s".formatted(figure)));
    return line.toString().stripTrailing();
  }
}
