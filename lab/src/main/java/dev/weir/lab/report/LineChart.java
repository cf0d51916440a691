package dev.weir.lab.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A chart of amounts of memory over a course from 0 to 1, as an SVG image for a page that defines
 * the looks of its classes: {@code chart}, {@code axis}, {@code grid}, {@code band}, and those of
 * the lines. Not thread-safe.
 */
public final class LineChart {
  private static final int WIDTH = 460;
  private static final int HEIGHT = 200;
  private static final int LEFT = 46;
  private static final int RIGHT = 8;
  private static final int TOP = 8;
  private static final int BOTTOM = 8;
  private static final int MAX_STEPS = 5;

  private final String description;
  private final double topMib;
  private final double stepMib;
  private final StringBuilder body = new StringBuilder();

  /**
   * An empty chart.
   *
   * @param description what it shows, for those who cannot see it
   * @param maxBytes the largest amount; charts that are to be compared have the same
   */
  public LineChart(String description, long maxBytes) {
    this.description = description;
    this.stepMib = step(Math.max(1.0, maxBytes / Bytes.MIB));
    this.topMib = Math.ceil(Math.max(1.0, maxBytes / Bytes.MIB) / stepMib) * stepMib;
  }

  /**
   * A point.
   *
   * @param x from 0 to 1
   * @param bytes the amount
   */
  public record Point(double x, long bytes) {}

  /** Adds a line through the points. */
  public LineChart line(String cssClass, List<Point> points) {
    return path(cssClass, points, "");
  }

  /** Adds the area between the points and the axis. */
  public LineChart area(String cssClass, List<Point> points) {
    if (points.isEmpty()) {
      return this;
    }
    String down =
        "L%s,%s L%s,%s Z".formatted(x(points.getLast().x), y(0), x(points.getFirst().x), y(0));
    return path(cssClass, points, down);
  }

  /** Shades a stretch, and names it to whoever points at it. */
  public LineChart band(double from, double to, boolean shaded, String label) {
    body.append(
        "<rect class=\"band%s\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\"><title>%s</title></rect>"
            .formatted(
                shaded ? " odd" : "",
                x(from),
                TOP,
                number((to - from) * (WIDTH - LEFT - RIGHT)),
                HEIGHT - TOP - BOTTOM,
                Html.escape(label)));
    return this;
  }

  /** The image, as an element of a page. */
  public String render() {
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">"
            .formatted(WIDTH, HEIGHT, Html.escape(description)));
    for (double mib = 0; mib <= topMib; mib += stepMib) {
      String y = y(Math.round(mib * Bytes.MIB));
      svg.append(
          "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%s\" y2=\"%s\"/>"
              .formatted(LEFT, WIDTH - RIGHT, y, y));
      svg.append(
          "<text class=\"axis\" x=\"%d\" y=\"%s\" dy=\"0.32em\">%s</text>"
              .formatted(LEFT - 6, y, number(mib)));
    }
    return svg.append(body).append("</svg>").toString();
  }

  private LineChart path(String cssClass, List<Point> points, String end) {
    List<String> steps = new ArrayList<>();
    for (Point point : points) {
      steps.add((steps.isEmpty() ? "M" : "L") + x(point.x) + "," + y(point.bytes));
    }
    if (!steps.isEmpty()) {
      body.append(
          "<path class=\"%s\" d=\"%s%s\"/>".formatted(cssClass, String.join(" ", steps), end));
    }
    return this;
  }

  /** 1, 2 or 5 times a power of ten, so that there are at most {@link #MAX_STEPS} steps. */
  private static double step(double maxMib) {
    double power = Math.pow(10, Math.floor(Math.log10(maxMib / MAX_STEPS)));
    for (double factor : new double[] {1, 2, 5}) {
      if (maxMib / (factor * power) <= MAX_STEPS) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  private static String x(double share) {
    return number(LEFT + share * (WIDTH - LEFT - RIGHT));
  }

  private String y(long bytes) {
    double share = bytes / Bytes.MIB / topMib;
    return number(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value).replaceFirst("\\.0$", "");
  }
}
