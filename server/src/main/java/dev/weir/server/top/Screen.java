package dev.weir.server.top;

import dev.weir.server.top.Line.Ink;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;

/**
 * One page of figures as lines of text, as many as fit. Pure: the same figures give the same lines.
 */
final class Screen {
  private static final int LABEL_COLUMNS = 12;

  /** Beyond so many lines a kind of row gives way to the next kind. */
  private static final int MIN_CLASSES = 3;

  /** Those of the head, the budget and the waste, which are always there. */
  private static final int FIRST_ROWS = 5;

  private final Figures view;
  private final Figures pool;
  private final Figures profile;
  private final int columns;
  private final int rows;
  private final boolean coloured;
  private final List<String> lines = new ArrayList<>();

  private Screen(Figures view, int columns, int rows, boolean coloured) {
    this.view = view;
    this.pool = view.child("pool");
    this.profile = view.child("profile");
    this.columns = columns;
    this.rows = rows;
    this.coloured = coloured;
  }

  /**
   * Lays the figures out.
   *
   * @param source where they come from
   * @param columns the width, at least 60 to be readable
   * @param rows the most lines
   */
  static List<String> lines(Figures view, String source, int columns, int rows, boolean coloured) {
    Screen screen = new Screen(view, columns, rows, coloured);
    screen.head(source);
    screen.budget();
    screen.waste();
    screen.suspects();
    screen.map();
    screen.budgets();
    screen.oldest();
    screen.classes();
    return List.copyOf(screen.lines.subList(0, Math.min(rows, screen.lines.size())));
  }

  private Line line() {
    return new Line(columns, coloured);
  }

  private void put(Line line) {
    lines.add(line.toString());
  }

  private int rowsLeft() {
    return rows - lines.size();
  }

  private void head(String source) {
    Figures node = view.child("node");
    put(
        line()
            .add(Ink.STRONG, "weir " + pool.text("name"))
            .add("  " + source)
            .add(
                Ink.QUIET,
                "  %s connections, %s streams"
                    .formatted(
                        Units.count(node.number("openConnections")),
                        Units.count(node.number("streams")))));
  }

  private void budget() {
    long limit = pool.number("limitBytes");
    long resident = pool.number("residentBytes");
    long blocks = Math.min(pool.number("blockBytes"), pool.number("liveBytes"));
    long idle = pool.number("liveBytes") - blocks;
    long dirty = pool.number("dirtyBytes");
    boolean near = resident > limit / 10 * 9;
    Line line =
        line()
            .add(label("resident"))
            .add(near ? Ink.ALARM : Ink.STRONG, Units.bytes(resident))
            .add(" of " + Units.bytes(limit) + " ");
    String tail = " " + Units.percent(resident, limit);
    int width = line.columnsLeft() - tail.length() - 2;
    if (width > 4 && limit > 0) {
      int taken = cells(blocks, limit, width);
      int idleCells = Math.min(width - taken, cells(idle, limit, width));
      int dirtyCells = Math.min(width - taken - idleCells, cells(dirty, limit, width));
      line.add("[")
          .add(Ink.LIVE, "#".repeat(taken))
          .add(Ink.LIVE, "-".repeat(idleCells))
          .add(Ink.DIRTY, ":".repeat(dirtyCells))
          .add(" ".repeat(width - taken - idleCells - dirtyCells))
          .add("]");
    }
    put(line.add(tail));
    put(
        line()
            .add("  # blocks " + Units.bytes(blocks))
            .add("  - idle " + Units.bytes(idle))
            .add("  : dirty " + Units.bytes(dirty))
            .add(Ink.QUIET, "  peak " + Units.bytes(pool.number("peakResidentBytes"))));
  }

  private static int cells(long part, long whole, int width) {
    return part <= 0 ? 0 : Math.clamp(Math.round((double) part * width / whole), 1, width);
  }

  private void waste() {
    Figures waste = pool.child("waste");
    put(
        line()
            .add(label("waste"))
            .add("free slots " + Units.bytes(waste.number("freeSlotBytes")))
            .add("  uncommitted " + Units.bytes(waste.number("uncommittedBytes"))));
    put(
        line()
            .add(label(""))
            .add("rounding " + rounding(waste.number("roundingAtMostBytes")))
            .add("  promised " + Units.bytes(waste.number("promisedBytes")))
            .add("  quarantined " + Units.bytes(waste.number("quarantinedBytes"))));
  }

  /** By the samples, if there are some; else what it may be at most. */
  private String rounding(long atMostBytes) {
    return profile.number("samples") > 0
        ? "~" + Units.bytes(Math.min(profile.number("roundingBytes"), atMostBytes))
        : "<= " + Units.bytes(atMostBytes);
  }

  /** Code that holds more and more old memory. */
  private void suspects() {
    List<Figures> suspects = profile.children("suspects");
    int shown = Math.min(suspects.size(), Math.max(1, (rows - FIRST_ROWS) / 6));
    if (suspects.isEmpty() || rowsLeft() < 2) {
      return;
    }
    put(line().add(Ink.ALARM, CodeRow.head("grows/s", "suspected leak")));
    for (Figures place : suspects.subList(0, shown)) {
      CodeRow row = CodeRow.of(place, place.number("growthBytesPerSecond"));
      put(line().add(row.figures()).add(Ink.STRONG, row.place()).add(Ink.QUIET, row.budget()));
    }
  }

  /** Code that has held memory for longest. */
  private void oldest() {
    List<Figures> oldest = profile.children("oldest");
    int shown = Math.min(oldest.size(), rowsLeft() - 2 - MIN_CLASSES);
    if (shown < 1) {
      return;
    }
    put(line().add(Ink.QUIET, CodeRow.head("blocks", "oldest, by code")));
    for (Figures place : oldest.subList(0, shown)) {
      CodeRow row = CodeRow.of(place);
      put(line().add(row.figures()).add(row.place()).add(Ink.QUIET, row.budget()));
    }
  }

  /** A row for each region: blocks, sparse pages, dirty pages, clean ones. */
  private void map() {
    for (Figures region : pool.children("pages")) {
      if (rowsLeft() <= 2 * MIN_CLASSES) {
        return;
      }
      String tail = " " + Units.bytes(region.number("extentBytes"));
      Line line = line().add(label(region.text("name"))).add("[");
      int width = line.columnsLeft() - tail.length() - 1;
      for (int column = 0; column < width; column++) {
        addColumn(line, decoded(region), column, width);
      }
      put(line.add("]").add(Ink.QUIET, tail));
    }
  }

  private static byte[] decoded(Figures region) {
    try {
      return Base64.getDecoder().decode(region.text("cells"));
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  private static void addColumn(Line line, byte[] cells, int column, int width) {
    int count = cells.length / 3;
    int from = (int) ((long) column * count / width);
    int to = Math.max(from + 1, (int) ((column + 1L) * count / width));
    long live = 0;
    long dirty = 0;
    long blocks = 0;
    for (int cell = from; cell < Math.min(to, count); cell++) {
      int share = Byte.toUnsignedInt(cells[3 * cell]);
      live += share;
      dirty += Byte.toUnsignedInt(cells[3 * cell + 1]);
      blocks += (long) share * Byte.toUnsignedInt(cells[3 * cell + 2]) / 255;
    }
    if (live + dirty == 0) {
      line.add(" ");
    } else if (dirty > live) {
      line.add(Ink.DIRTY, ":");
    } else {
      line.add(Ink.LIVE, 2 * blocks >= live ? "#" : "-");
    }
  }

  private void budgets() {
    List<BudgetRow> all = BudgetRow.of(pool.child("budgets"), columns);
    int below = MIN_CLASSES + (rows < 20 || profile.children("oldest").isEmpty() ? 0 : rows / 6);
    int shown = Math.min(all.size(), Math.max(1, rowsLeft() - 2 - below));
    if (all.size() < 2 || rowsLeft() < 3) {
      return;
    }
    put(line().add(Ink.QUIET, BudgetRow.head(columns)));
    for (BudgetRow row : all.subList(0, shown)) {
      put(line().add(row.pressed() ? Ink.ALARM : Ink.PLAIN, row.text()));
    }
  }

  /** Those with most pages first. */
  private void classes() {
    List<Figures> classes =
        pool.children("classes").stream()
            .sorted(Comparator.comparingLong((Figures of) -> of.number("pageBytes")).reversed())
            .toList();
    if (classes.isEmpty() || rowsLeft() < 2) {
      return;
    }
    put(
        line()
            .add(
                Ink.QUIET,
                "%10s %8s %12s %10s %8s".formatted("slot", "slabs", "blocks", "pages", "in use")));
    for (Figures of : classes) {
      put(
          line()
              .add(
                  "%10s %8s %12s %10s %8s"
                      .formatted(
                          Units.bytes(of.number("slotBytes")),
                          Units.count(of.number("slabs")),
                          Units.count(of.number("blocks")),
                          Units.bytes(of.number("pageBytes")),
                          Units.percent(of.number("blockBytes"), of.number("pageBytes")))));
    }
  }

  private static String label(String text) {
    return "%-12s ".formatted(Line.cut(text, LABEL_COLUMNS));
  }
}
