package dev.weir.lab.report;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help.Ansi;

/**
 * A table for people: the first column aligned left, the others right, each as wide as its widest
 * cell. Cells may carry picocli's colour markup ({@code @|red 3|@}), which does not count as width.
 */
public final class TextTable {
  private static final String GAP = "   ";

  private final List<List<String>> rows = new ArrayList<>();

  /** A table with these column titles. */
  public TextTable(String... titles) {
    rows.add(List.of(titles));
  }

  /** Adds a row of as many cells as there are titles. */
  public void add(String... cells) {
    if (cells.length != rows.getFirst().size()) {
      throw new IllegalArgumentException(
          cells.length + " cells in a table of " + rows.getFirst().size() + " columns");
    }
    rows.add(List.of(cells));
  }

  /** The whole table; every line ends with a line end. */
  public String render(Ansi ansi) {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int column = 0; column < columns; column++) {
        widths[column] = Math.max(widths[column], plain(row.get(column)).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < columns; column++) {
        String padding = " ".repeat(widths[column] - plain(row.get(column)).length());
        String cell = ansi.string(row.get(column));
        line.append(column == 0 ? cell + padding : GAP + padding + cell);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private static String plain(String cell) {
    return Ansi.OFF.string(cell);
  }
}
