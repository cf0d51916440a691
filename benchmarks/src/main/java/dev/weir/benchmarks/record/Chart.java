package dev.weir.benchmarks.record;

import dev.weir.benchmarks.harness.Metric;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A suite of a record as an SVG: a line for each cell, a mark for each allocator at its median on a
 * logarithmic axis, with the spread of its rounds, and how many times the better of Netty's takes
 * what Weir takes. Readable in light and dark; drawn from the record and nothing else.
 */
public final class Chart {
  private static final int WIDTH = 960;
  private static final int LEFT = 280;
  private static final int PLOT = 560;
  private static final int TOP = 84;
  private static final int LINE = 22;

  private static final String STYLE =
      """
      <style>
        text { font-size: 13px; fill: #57606a; }
        .head { font-size: 17px; font-weight: 600; fill: #1f2328; }
        .group, .times { font-weight: 600; fill: #1f2328; }
        .grid { stroke: #d8dee4; }
        .full { stroke: none; }
        .open { fill: none; stroke-width: 1.6; }
        .weir { color: #0969da; } .pooled { color: #bc4c00; } .adaptive { color: #8250df; }
        .malloc { color: #1a7f37; } .harness { color: #818b98; }
        .full { fill: currentColor; } .open { stroke: currentColor; }
        @media (prefers-color-scheme: dark) {
          text { fill: #9da7b3; }
          .head, .group, .times { fill: #f0f6fc; }
          .grid { stroke: #3d444d; }
          .weir { color: #4493f8; } .pooled { color: #f0883e; } .adaptive { color: #ab7df8; }
          .malloc { color: #3fb950; } .harness { color: #9198a1; }
        }
      </style>
      """;

  private final BenchRecord source;
  private final String suite;
  private final Metric metric;
  private final List<ChartRow> rows;

  private Chart(BenchRecord source, String suite, Metric metric, List<ChartRow> rows) {
    this.source = source;
    this.suite = suite;
    this.metric = metric;
    this.rows = rows;
  }

  /** The suites that a record has rows of. */
  public static Set<String> suites(BenchRecord source) {
    Set<String> suites = new LinkedHashSet<>();
    source.rows().forEach(row -> suites.add(String.valueOf(row.get("suite"))));
    return suites;
  }

  /** The chart of one of them; empty if it has nothing to show. */
  public static Optional<String> svg(BenchRecord source, String suite) {
    Metric metric = suite.equals("loops") ? Metric.RSS_BYTES_PER_LOOP : Metric.NS_PER_OP;
    List<ChartRow> rows = ChartRow.of(source.rows(), suite, metric.field());
    return rows.isEmpty()
        ? Optional.empty()
        : Optional.of(new Chart(source, suite, metric, rows).draw());
  }

  private String draw() {
    StringBuilder body = new StringBuilder();
    List<Double> values = new ArrayList<>();
    rows.forEach(row -> row.values().values().forEach(value -> values.add(value.median())));
    Scale scale = new Scale(values, PLOT);
    int y = TOP;
    String group = "";
    for (ChartRow row : rows) {
      if (!row.group().equals(group)) {
        group = row.group();
        y += LINE / 2;
        body.append(text("group", 16, y, "start", group));
        y += LINE;
      }
      body.append(line(row, y, scale));
      y += LINE;
    }
    int bottom = y - LINE / 2;
    return String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %1$d %2$d\" width=\"%1$d\""
                + " height=\"%2$d\" role=\"img\" aria-labelledby=\"title desc\""
                + " font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial,"
                + " sans-serif\">\n",
            WIDTH,
            bottom + 2 * LINE)
        + "<title id=\"title\">weir bench %s</title>\n".formatted(suite)
        + "<desc id=\"desc\">%s</desc>\n".formatted(source.name())
        + STYLE
        + text("head", 16, 26, "start", "%s: %s".formatted(suite, unit()))
        + text("text", 16, 46, "start", source.name() + ": " + source.machine())
        + legend()
        + text("times", WIDTH - 16, TOP - 4, "end", "Netty / weir")
        + axis(scale, bottom)
        + body
        + "</svg>\n";
  }

  private String unit() {
    return metric == Metric.NS_PER_OP
        ? "time for an operation, less is better"
        : "memory made resident by an event loop's first request, less is better";
  }

  private String line(ChartRow row, int y, Scale scale) {
    StringBuilder marks = new StringBuilder();
    // Weir comes last, on top of the others.
    new TreeMap<>(row.values())
        .descendingMap()
        .forEach((mark, value) ->
            marks
                .append(
                    mark.spread(LEFT + scale.at(value.min()), LEFT + scale.at(value.max()), y - 4))
                .append(mark.at(LEFT + scale.at(value.median()), y - 4)));
    String times =
        row.timesNetty().isEmpty()
            ? ""
            : String.format(Locale.ROOT, "%.1f ×", row.timesNetty().getAsDouble());
    return text("text", LEFT - 14, y, "end", row.label())
        + marks
        + text("times", WIDTH - 16, y, "end", times);
  }

  private String axis(Scale scale, int bottom) {
    StringBuilder axis = new StringBuilder();
    for (double tick : scale.ticks()) {
      double x = LEFT + scale.at(tick);
      axis.append(
          String.format(Locale.ROOT, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", x, TOP, bottom));
      axis.append(text("text", x, bottom + LINE - 4, "middle", amount(tick)));
    }
    return axis.toString();
  }

  private String legend() {
    Set<Mark> shown = new LinkedHashSet<>();
    for (Mark mark : Mark.values()) {
      if (rows.stream().anyMatch(row -> row.values().containsKey(mark))) {
        shown.add(mark);
      }
    }
    StringBuilder legend = new StringBuilder();
    double x = 22;
    for (Mark mark : shown) {
      legend.append(mark.at(x, 64)).append(text("text", x + 11, 68, "start", mark.allocator()));
      x += 34 + 6.8 * mark.allocator().length();
    }
    return legend.toString();
  }

  private String amount(double value) {
    if (metric == Metric.NS_PER_OP) {
      return scaled(value, 1_000, "ns", "µs", "ms", "s");
    }
    return scaled(value, 1_024, "B", "KiB", "MiB", "GiB");
  }

  private static String scaled(double value, int step, String... units) {
    double rest = value;
    int unit = 0;
    while (rest >= step && unit < units.length - 1) {
      rest /= step;
      unit++;
    }
    return String.format(Locale.ROOT, rest < 1 ? "%.1f %s" : "%.0f %s", rest, units[unit]);
  }

  private static String text(String type, double x, double y, String anchor, String text) {
    return String.format(
        Locale.ROOT,
        "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
        type,
        x,
        y,
        anchor,
        text.replace("&", "&amp;").replace("<", "&lt;"));
  }
}
