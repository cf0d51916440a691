package dev.weir.lab.report;

import dev.weir.lab.report.LineChart.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A run as one HTML page with nothing outside it: one table that sorts, and a chart a row. */
final class LabPage {
  private static final String HEAD =
      """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <link rel="icon" href="data:,">
      <title>Weir lab</title>
      <style>
      :root { color-scheme: light dark; --ink: #1c2330; --faint: #626b7d; --rule: #dde1e8; --ground: #fff;
        --live: #c9d3e3; --rss: #c2570c; --bad: #b42318; --odd: #f4f6f9; }
      @media (prefers-color-scheme: dark) { :root { --ink: #e4e8f0; --faint: #98a1b3; --rule: #2e3645; --ground: #12161e;
        --live: #33415a; --rss: #f0a35e; --bad: #ff8b7e; --odd: #181d27; } }
      * { box-sizing: border-box; }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 1.5rem auto;
        max-width: 88rem; padding: 0 1rem; overflow-wrap: anywhere; }
      h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
      h3 { font-size: .95rem; margin: 0 0 .3rem; }
      code { font: 13px/1.45 ui-monospace, monospace; } .faint { color: var(--faint); } .bad { color: var(--bad); }
      .wide { overflow-x: auto; border: 1px solid var(--rule); border-radius: 6px; }
      table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 13px; }
      th, td { padding: .3rem .42rem; text-align: right; white-space: nowrap; }
      th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; }
      th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
      th[aria-sort=ascending] button::after { content: " \\2191"; } th[aria-sort=descending] button::after { content: " \\2193"; }
      tbody tr:nth-child(odd) { background: var(--odd); } td.why { white-space: normal; text-align: left; min-width: 14rem; }
      .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 1.2rem; }
      figure { margin: 0; min-width: 0; } .chart { width: 100%; height: auto; display: block; }
      .axis { font-size: 11px; text-anchor: end; fill: var(--faint); } .grid { stroke: var(--rule); stroke-width: 1; }
      path { fill: none; stroke-linejoin: round; } path.live { fill: var(--live); }
      path.rss { stroke: var(--rss); stroke-width: 1.8; }
      .key b { display: inline-block; width: 1.4em; height: .7em; margin: 0 .3em 0 1em; }
      .key .live { background: var(--live); } .key .rss { background: var(--rss); }
      </style>
      """;

  private static final String SORTING =
      """
      <script>
      document.querySelectorAll("th button").forEach((button) => button.addEventListener("click", () => {
        const head = button.closest("th"), column = [...head.parentNode.children].indexOf(head);
        const up = head.getAttribute("aria-sort") !== "ascending", body = head.closest("table").tBodies[0];
        const key = (row) => row.cells[column].dataset.value;
        const order = (a, b) => a === "" || b === "" ? (a === "") - (b === "")
          : (up ? 1 : -1) * (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
        for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        body.append(...[...body.rows].sort((a, b) => order(key(a), key(b))));
      }));
      </script>
      </html>
      """;

  /** Field, title, and whether it is an amount of bytes. */
  private record Column(String field, String title, boolean bytes) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("scenario", "scenario", false),
          new Column("allocator", "allocator", false),
          new Column("trace", "trace", false),
          new Column("budgetBytes", "budget MiB", true),
          new Column("java", "Java", false),
          new Column("refused", "refused", false),
          new Column("refusals", "refused", false),
          new Column("peakLiveBytes", "live MiB", true),
          new Column("boundBytes", "sequential MiB", true),
          new Column("peakResidentBytes", "peak resident MiB", true),
          new Column("meanResidentBytes", "mean resident MiB", true),
          new Column("peakRssBytes", "peak RSS MiB", true),
          new Column("meanRssBytes", "mean RSS MiB", true),
          new Column("idleRssBytes", "idle RSS MiB", true),
          new Column("requestBytes", "MiB a request", true),
          new Column("gcCount", "collections", false),
          new Column("gcMillis", "GC ms", false),
          new Column("pageFaults", "faults", false),
          new Column("nanosPerEvent", "ns an event", false),
          new Column("seconds", "seconds", false));

  private LabPage() {}

  static String render(
      LabReport.Head head, List<Map<String, @Nullable Object>> rows, boolean complete) {
    StringBuilder page = new StringBuilder(HEAD);
    page.append(
        "<h1>Weir lab</h1>\n<p><code>%s</code><br><span class=\"faint\">%s; %s</span></p>%n"
            .formatted(Html.escape(head.command()), Html.escape(head.machine()), head.begun()));
    if (!complete) {
      page.append(
          "<p class=\"bad\">Incomplete: %d of %d rows.</p>%n"
              .formatted(rows.size(), head.planned()));
    }
    table(page, rows);
    goals(page, rows);
    page.append(
        """
        <p class="faint">RSS: growth of the process's anonymous pages. Sequential: the pages of an allocator that puts each
        block behind the last one and gives back each page the moment nothing on it lives. Click a title to sort.</p>
        <h2>Resident and live over time</h2>
        <p class="faint key">MiB over the seconds of the row<b class="live"></b>live<b class="rss"></b>RSS</p>
        """);
    rows.stream()
        .map(row -> group(row))
        .distinct()
        .forEach(scenario -> charts(page, scenario, rows));
    flags(page, rows);
    return page.append(SORTING).toString();
  }

  /** What is drawn side by side: a scenario, or a trace within a budget. */
  private static String group(Map<String, ?> row) {
    String group = String.valueOf(row.get("scenario"));
    if (row.get("trace") instanceof String trace) {
      group += ", " + trace;
    }
    if (row.get("budgetBytes") instanceof Number bytes) {
      group += ", within " + Bytes.mib(bytes.longValue()) + " MiB";
    }
    return group;
  }

  private static void goals(StringBuilder page, List<Map<String, @Nullable Object>> rows) {
    StringBuilder lines = new StringBuilder();
    for (Map<String, @Nullable Object> row : rows) {
      if (row.get(LabReport.GOALS) instanceof List<?> goals) {
        for (Object entry : goals) {
          if (entry instanceof Map<?, ?> goal) {
            String outcome = String.valueOf(goal.get("outcome"));
            lines.append(
                "<tr><td>%s</td><td>%s</td><td>%s</td><td>at most %s</td><td%s>%s</td></tr>%n"
                    .formatted(
                        Html.escape(group(row)),
                        Html.escape(String.valueOf(goal.get("goal"))),
                        Html.escape(String.valueOf(goal.get("shown"))),
                        Html.escape(String.valueOf(goal.get("most"))),
                        outcome.equals(Outcome.REACHED.word()) ? "" : " class=\"bad\"",
                        Html.escape(outcome)));
          }
        }
      }
    }
    if (!lines.isEmpty()) {
      page.append(
          "<h2>Goals</h2>\n"
              + "<div class=\"wide\"><table"
              + " class=\"goals\"><thead><tr><th>of</th><th>goal</th><th>measured</th><th>wanted</th><th></th></tr></thead><tbody>\n");
      page.append(lines).append("</tbody></table></div>\n");
    }
  }

  private static void table(StringBuilder page, List<Map<String, @Nullable Object>> rows) {
    List<Column> used =
        COLUMNS.stream()
            .filter(column -> rows.stream().anyMatch(row -> row.get(column.field) != null))
            .toList();
    page.append("<div class=\"wide\"><table><thead><tr>");
    used.forEach(column ->
        page.append("<th scope=\"col\"><button>%s</button></th>".formatted(column.title)));
    page.append("</tr></thead><tbody>\n");
    for (Map<String, @Nullable Object> row : rows) {
      page.append("<tr>");
      Object problem = row.get("problem");
      for (Column column : problem == null ? used : used.subList(0, 2)) {
        cell(page, column, row.get(column.field));
      }
      if (problem != null) {
        page.append(
            "<td class=\"why bad\" data-value=\"\" colspan=\"%d\">%s</td>"
                .formatted(used.size() - 2, Html.escape(problem.toString())));
        page.append("<td hidden data-value=\"\"></td>".repeat(Math.max(0, used.size() - 3)));
      }
      page.append("</tr>\n");
    }
    page.append("</tbody></table></div>\n");
  }

  private static void cell(StringBuilder page, Column column, @Nullable Object value) {
    String text =
        value == null
            ? ""
            : column.bytes && value instanceof Number bytes
                ? Bytes.mib(bytes.longValue())
                : value.toString();
    page.append(
        "<td data-value=\"%s\">%s</td>"
            .formatted(Html.escape(Objects.toString(value, "")), Html.escape(text)));
  }

  private static void charts(
      StringBuilder page, String scenario, List<Map<String, @Nullable Object>> rows) {
    List<Map<String, @Nullable Object>> drawn =
        rows.stream()
            .filter(row -> scenario.equals(group(row)))
            .filter(row -> row.get(LabReport.SERIES) instanceof List<?> list && !list.isEmpty())
            .toList();
    if (drawn.isEmpty()) {
      return;
    }
    long most = drawn.stream().mapToLong(LabPage::mostBytes).max().orElse(0);
    page.append("<h3>%s</h3><div class=\"charts\">%n".formatted(Html.escape(scenario)));
    for (Map<String, @Nullable Object> row : drawn) {
      String label = String.valueOf(row.get("allocator"));
      List<List<?>> points = points(row);
      double end = Math.max(0.01, number(points.getLast(), 0));
      LineChart chart =
          new LineChart("What %s held in %s".formatted(label, scenario), most)
              .area("live", line(points, end, 2))
              .line("rss", line(points, end, 1));
      page.append(
          "<figure><h3>%s <span class=\"faint\">%.0f s</span></h3>%s</figure>%n"
              .formatted(Html.escape(label), end, chart.render()));
    }
    page.append("</div>\n");
  }

  private static List<Point> line(List<List<?>> points, double end, int at) {
    return points.stream()
        .map(point -> new Point(number(point, 0) / end, (long) number(point, at)))
        .toList();
  }

  private static long mostBytes(Map<String, @Nullable Object> row) {
    return points(row).stream()
        .mapToLong(point -> (long) Math.max(number(point, 1), number(point, 2)))
        .max()
        .orElse(0);
  }

  private static List<List<?>> points(Map<String, @Nullable Object> row) {
    List<List<?>> points = new ArrayList<>();
    if (row.get(LabReport.SERIES) instanceof List<?> list) {
      for (Object point : list) {
        if (point instanceof List<?> numbers) {
          points.add(numbers);
        }
      }
    }
    return points;
  }

  private static double number(List<?> numbers, int at) {
    return numbers.get(at) instanceof Number number ? number.doubleValue() : 0;
  }

  private static void flags(StringBuilder page, List<Map<String, @Nullable Object>> rows) {
    page.append("<h2>What ran</h2><ul>\n");
    for (Map<String, @Nullable Object> row : rows) {
      if (row.get("flags") instanceof String flags) {
        page.append(
            "<li>%s, %s: Netty %s on Java %s, <code>%s</code></li>%n"
                .formatted(
                    Html.escape(String.valueOf(row.get("scenario"))),
                    Html.escape(String.valueOf(row.get("allocator"))),
                    Html.escape(String.valueOf(row.get("netty"))),
                    Html.escape(String.valueOf(row.get("java"))),
                    Html.escape(flags)));
      }
    }
    page.append("</ul>\n");
  }
}
