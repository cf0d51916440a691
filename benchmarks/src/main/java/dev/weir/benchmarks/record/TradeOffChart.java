package dev.weir.benchmarks.record;

import dev.weir.benchmarks.harness.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A suite as time against resident memory: a panel for each cell, a mark for each allocator at its
 * medians, with the spread of its rounds, and a line through Weir's settings. Below and left is
 * better. Drawn from the record and nothing else.
 */
final class TradeOffChart {
  private static final int WIDTH = 960;
  private static final int COLUMNS = 2;
  private static final int TOP = 100;
  private static final int PANEL_HEIGHT = 260;
  private static final int PLOT_WIDTH = 360;
  private static final int PLOT_HEIGHT = 180;
  private static final int PLOT_LEFT = 80;
  private static final int TICKS = 5;

  private final List<Panel> panels;

  private TradeOffChart(List<Panel> panels) {
    this.panels = panels;
  }

  /** A cell with what its allocators take. */
  private record Panel(
      String label, Map<Mark, ChartRow.Value> times, Map<Mark, ChartRow.Value> resident) {

    /** Those of whom both is known, in the order of the marks. */
    List<Point> points() {
      List<Point> points = new ArrayList<>();
      new TreeMap<>(times)
          .forEach((mark, nanos) -> {
            ChartRow.Value bytes = resident.get(mark);
            if (bytes != null) {
              points.add(new Point(mark, bytes, nanos));
            }
          });
      return points;
    }
  }

  /** What an allocator takes. */
  private record Point(Mark mark, ChartRow.Value bytes, ChartRow.Value nanos) {}

  /** An axis from the lowest to the highest value with a margin, drawn over {@code length}. */
  private record Axis(double from, double to, double length) {
    static Axis of(Map<Mark, ChartRow.Value> values, double length) {
      double min = Double.MAX_VALUE;
      double max = 0;
      for (ChartRow.Value value : values.values()) {
        min = Math.min(min, value.min());
        max = Math.max(max, value.max());
      }
      double margin = Math.max((max - min) / 10, max / 100);
      return new Axis(Math.max(0, min - margin), max + margin, length);
    }

    double at(double value) {
      return to > from ? (value - from) / (to - from) * length : 0;
    }
  }

  /** The chart; empty if the record has nothing to show. */
  static Optional<String> svg(BenchRecord source, String suite) {
    List<ChartRow> times = ChartRow.of(source.rows(), suite, Metric.NS_PER_OP.field());
    List<ChartRow> resident = ChartRow.of(source.rows(), suite, Metric.PEAK_RSS_BYTES.field());
    List<Panel> panels = new ArrayList<>();
    for (ChartRow time : times) {
      resident.stream()
          .filter(row -> row.label().equals(time.label()))
          .findFirst()
          .ifPresent(row -> panels.add(new Panel(time.label(), time.values(), row.values())));
    }
    return panels.isEmpty()
        ? Optional.empty()
        : Optional.of(new TradeOffChart(panels).draw(source, suite));
  }

  private String draw(BenchRecord source, String suite) {
    int rows = (panels.size() + COLUMNS - 1) / COLUMNS;
    String title =
        suite + ": time for an operation against resident memory, below and left is best";
    StringBuilder svg =
        new StringBuilder(Svg.begin(source, suite, WIDTH, TOP + rows * PANEL_HEIGHT, title));
    Set<Mark> shown = EnumSet.noneOf(Mark.class);
    panels.forEach(panel -> shown.addAll(panel.times().keySet()));
    svg.append(Svg.legend(shown));
    for (int i = 0; i < panels.size(); i++) {
      double left = i % COLUMNS * (WIDTH / COLUMNS) + PLOT_LEFT;
      double top = TOP + i / COLUMNS * PANEL_HEIGHT;
      draw(panels.get(i), left, top, svg);
    }
    return svg.append(Svg.END).toString();
  }

  private static void draw(Panel panel, double left, double top, StringBuilder svg) {
    Axis across = Axis.of(panel.resident(), PLOT_WIDTH);
    Axis up = Axis.of(panel.times(), PLOT_HEIGHT);
    double bottom = top + PLOT_HEIGHT;
    svg.append(Svg.text("group", left, top - 8, "start", panel.label()));
    for (int i = 0; i < TICKS; i++) {
      double share = (double) i / (TICKS - 1);
      double x = left + share * PLOT_WIDTH;
      double y = bottom - share * PLOT_HEIGHT;
      svg.append(path(x, top, "V", bottom)).append(path(left, y, "H", left + PLOT_WIDTH));
      double bytes = across.from() + share * (across.to() - across.from());
      double nanos = up.from() + share * (up.to() - up.from());
      svg.append(Svg.text("text", x, bottom + 18, "middle", Svg.bytes(bytes)));
      svg.append(Svg.text("text", left - 8, y + 4, "end", Svg.time(nanos)));
    }
    List<Point> points = panel.points();
    List<Point> settings =
        points.stream()
            .filter(point -> point.mark().isWeirs())
            .sorted(Comparator.comparingDouble(point -> point.bytes().median()))
            .toList();
    if (settings.size() > 1) {
      List<String> places =
          settings.stream()
              .map(point ->
                  place(
                      left + across.at(point.bytes().median()),
                      bottom - up.at(point.nanos().median())))
              .toList();
      svg.append(settings.getFirst().mark().line(places));
    }
    // Weir comes last, on top of the others.
    for (Point point : points.reversed()) {
      ChartRow.Value bytes = point.bytes();
      ChartRow.Value nanos = point.nanos();
      Mark mark = point.mark();
      double x = left + across.at(bytes.median());
      double y = bottom - up.at(nanos.median());
      svg.append(mark.spread(left + across.at(bytes.min()), left + across.at(bytes.max()), y));
      svg.append(
          mark.line(
              List.of(
                  place(x, bottom - up.at(nanos.min())), place(x, bottom - up.at(nanos.max())))));
      svg.append(mark.at(x, y));
    }
  }

  private static String place(double x, double y) {
    return String.format(Locale.ROOT, "%.1f %.1f", x, y);
  }

  private static String path(double x, double y, String command, double to) {
    return String.format(
        Locale.ROOT, "<path class=\"grid\" d=\"M%s%s%.1f\"/>\n", place(x, y), command, to);
  }
}
