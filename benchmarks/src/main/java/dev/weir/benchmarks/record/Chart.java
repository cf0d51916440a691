package dev.weir.benchmarks.record;

import dev.weir.benchmarks.harness.Metric;
import java.util.ArrayList;
import java.util.EnumSet;
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
    if (suite.equals("written")) {
      return TradeOffChart.svg(source, suite);
    }
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
        body.append(Svg.text("group", 16, y, "start", group));
        y += LINE;
      }
      body.append(line(row, y, scale));
      y += LINE;
    }
    int bottom = y - LINE / 2;
    return Svg.begin(source, suite, WIDTH, bottom + 2 * LINE, "%s: %s".formatted(suite, unit()))
        + Svg.legend(shown())
        + Svg.text("times", WIDTH - 16, TOP - 4, "end", "Netty / weir")
        + axis(scale, bottom)
        + body
        + Svg.END;
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
    return Svg.text("text", LEFT - 14, y, "end", row.label())
        + marks
        + Svg.text("times", WIDTH - 16, y, "end", times);
  }

  private String axis(Scale scale, int bottom) {
    StringBuilder axis = new StringBuilder();
    for (double tick : scale.ticks()) {
      double x = LEFT + scale.at(tick);
      axis.append(
          String.format(Locale.ROOT, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", x, TOP, bottom));
      axis.append(Svg.text("text", x, bottom + LINE - 4, "middle", amount(tick)));
    }
    return axis.toString();
  }

  private Set<Mark> shown() {
    Set<Mark> shown = EnumSet.noneOf(Mark.class);
    rows.forEach(row -> shown.addAll(row.values().keySet()));
    return shown;
  }

  private String amount(double value) {
    return metric == Metric.NS_PER_OP ? Svg.time(value) : Svg.bytes(value);
  }
}
