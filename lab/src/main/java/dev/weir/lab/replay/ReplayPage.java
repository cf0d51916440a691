package dev.weir.lab.replay;

import dev.weir.lab.files.WholeFile;
import dev.weir.lab.report.Html;
import dev.weir.lab.report.LineChart;
import dev.weir.lab.report.LineChart.Point;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** Replays as one HTML page with nothing outside it: for each trace the table, and a chart each. */
final class ReplayPage {
  private static final String HEAD =
      """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Trace replay</title>
      <style>
      :root { color-scheme: light dark; --ink: #1c2330; --faint: #6b7385; --rule: #dde1e8; --ground: #fff;
        --live: #c9d3e3; --pages: #3a4a66; --held: #0b6bcb; --rss: #d9730d; --odd: #f4f6f9; }
      @media (prefers-color-scheme: dark) { :root { --ink: #e4e8f0; --faint: #98a1b3; --rule: #2e3645; --ground: #12161e;
        --live: #33415a; --pages: #b4c2da; --held: #58a6ff; --rss: #f0a35e; --odd: #181d27; } }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 2rem auto;
        max-width: 92rem; padding: 0 1rem; }
      h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; } h3 { font-size: .95rem; margin: 0 0 .3rem; }
      pre { overflow-x: auto; font: 13px/1.45 ui-monospace, monospace; }
      .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(24rem, 1fr)); gap: 1.2rem; }
      figure { margin: 0; } .chart { width: 100%; height: auto; display: block; }
      .axis { font-size: 11px; text-anchor: end; fill: var(--faint); } .grid { stroke: var(--rule); stroke-width: 1; }
      .band { fill: transparent; } .band.odd { fill: var(--odd); }
      path { fill: none; stroke-linejoin: round; } path.live { fill: var(--live); }
      path.pages { stroke: var(--pages); stroke-width: 1; stroke-dasharray: 3 2; }
      path.held { stroke: var(--held); stroke-width: 1.8; } path.rss { stroke: var(--rss); stroke-width: 1.2; }
      .key { color: var(--faint); } .key b { display: inline-block; width: 1.4em; height: .7em; margin: 0 .3em 0 1em; }
      .key .live { background: var(--live); } .key .pages { border-top: 2px dashed var(--pages); height: 0; }
      .key .held { background: var(--held); } .key .rss { background: var(--rss); }
      </style>
      <h1>Trace replay</h1>
      <p class="key">MiB over the course of the trace; shaded stripes are its phases (point at one for its name).
      <b class="live"></b>live<b class="pages"></b>OS pages that live blocks touch<b class="held"></b>resident, by the
      allocator's own count<b class="rss"></b>RSS, by the kernel's</p>
      """;

  private final StringBuilder body = new StringBuilder();

  /** Adds what came of one trace. */
  void add(String title, List<ReplayOutcome> outcomes) {
    List<ReplayOutcome> played =
        outcomes.stream().filter(outcome -> outcome.missing() == null).toList();
    List<Map<String, @Nullable Object>> rows = played.stream().map(ReplayOutcome::row).toList();
    body.append("<h2>").append(Html.escape(title)).append("</h2>\n<pre>");
    body.append(Html.escape(ReplayTable.render(rows, Ansi.OFF)));
    body.append(Html.escape(ReplayGoals.render(rows, Ansi.OFF))).append("</pre>\n");
    outcomes.stream()
        .filter(outcome -> outcome.missing() != null)
        .forEach(outcome ->
            body.append("<p>%s</p>%n".formatted(Html.escape(ReplayTable.leftOut(outcome)))));
    long maxBytes =
        played.stream()
            .flatMap(outcome -> samples(outcome).stream())
            .mapToLong(sample -> Math.max(sample.heldBytes(), sample.rssBytes()))
            .max()
            .orElse(0);
    body.append("<div class=\"charts\">\n");
    for (ReplayOutcome outcome : played) {
      String label = Html.escape(outcome.label());
      body.append("<figure><h3>%s</h3>%s</figure>%n".formatted(label, chart(outcome, maxBytes)));
    }
    body.append("</div>\n");
  }

  /** Writes the page, replacing what is there. */
  void write(Path file) throws IOException {
    WholeFile.write(file, HEAD + body + "</html>\n");
  }

  private static String chart(ReplayOutcome outcome, long maxBytes) {
    List<Sample> samples = samples(outcome);
    LineChart chart =
        new LineChart("What " + outcome.label() + " held over the course of the trace", maxBytes);
    addPhases(outcome, chart);
    return chart
        .area("live", points(samples, Sample::liveBytes))
        .line("rss", points(samples, Sample::rssBytes))
        .line("held", points(samples, Sample::residentBytes))
        .line("pages", points(samples, Sample::pageBytes))
        .render();
  }

  private static void addPhases(ReplayOutcome outcome, LineChart chart) {
    List<?> phases = outcome.phases();
    for (int i = 0; i < phases.size(); i++) {
      if (phases.get(i) instanceof List<?> phase && phase.get(1) instanceof Number from) {
        double to =
            i + 1 < phases.size()
                    && phases.get(i + 1) instanceof List<?> next
                    && next.get(1) instanceof Number start
                ? start.doubleValue()
                : 1;
        chart.band(from.doubleValue(), to, i % 2 == 0, String.valueOf(phase.getFirst()));
      }
    }
  }

  private static List<Point> points(
      List<Sample> samples, java.util.function.ToLongFunction<Sample> figure) {
    return samples.stream()
        .filter(sample -> figure.applyAsLong(sample) != Sample.UNKNOWN)
        .map(sample -> new Point(sample.progress(), figure.applyAsLong(sample)))
        .toList();
  }

  private static List<Sample> samples(ReplayOutcome outcome) {
    List<Sample> samples = new ArrayList<>();
    for (Object entry : outcome.samples()) {
      if (entry instanceof List<?> numbers) {
        samples.add(
            new Sample(
                number(numbers, 0).doubleValue(),
                number(numbers, 1).longValue(),
                number(numbers, 2).longValue(),
                number(numbers, 3).longValue(),
                number(numbers, 4).longValue(),
                /* inMean= */ false));
      }
    }
    return samples;
  }

  private static Number number(List<?> numbers, int at) {
    return numbers.get(at) instanceof Number number ? number : Sample.UNKNOWN;
  }
}
