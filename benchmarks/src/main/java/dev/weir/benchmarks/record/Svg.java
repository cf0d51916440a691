package dev.weir.benchmarks.record;

import java.util.Locale;
import java.util.Set;

/** What all charts have in common: their head, colours for light and dark, texts and amounts. */
final class Svg {
  /** How a chart ends. */
  static final String END = "</svg>\n";

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

  private Svg() {}

  /** The drawing with its title and source; names the record, so that it can be drawn again. */
  static String begin(BenchRecord source, String suite, int width, int height, String title) {
    return String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %1$d %2$d\" width=\"%1$d\""
                + " height=\"%2$d\" role=\"img\" aria-labelledby=\"title desc\""
                + " font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial,"
                + " sans-serif\">\n",
            width,
            height)
        + "<title id=\"title\">weir bench %s</title>\n".formatted(suite)
        + "<desc id=\"desc\">%s</desc>\n".formatted(source.name())
        + STYLE
        + text("head", 16, 26, "start", title)
        + text("text", 16, 46, "start", source.name() + ": " + source.machine());
  }

  /** What the marks mean, in the order of their declaration. */
  static String legend(Set<Mark> shown) {
    StringBuilder legend = new StringBuilder();
    double x = 22;
    for (Mark mark : Mark.values()) {
      if (shown.contains(mark)) {
        legend.append(mark.at(x, 64)).append(text("text", x + 11, 68, "start", mark.allocator()));
        x += 34 + 6.8 * mark.allocator().length();
      }
    }
    return legend.toString();
  }

  /** Nanoseconds in the unit that suits them. */
  static String time(double nanos) {
    return scaled(nanos, 1_000, "ns", "µs", "ms", "s");
  }

  /** Bytes in the unit that suits them. */
  static String bytes(double bytes) {
    return scaled(bytes, 1_024, "B", "KiB", "MiB", "GiB");
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

  /** A text of a class of the style sheet. */
  static String text(String type, double x, double y, String anchor, String text) {
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
