package dev.weir.benchmarks.record;

import java.util.List;
import java.util.Locale;

/** How a chart draws one allocator: a colour class and a shape, so that either tells it. */
enum Mark {
  WEIR("weir", "weir", Shape.DISC),
  WEIR_CHARGED("weir+charged", "weir", Shape.PLUS),
  WEIR_BUDGET("weir+budget", "weir", Shape.RING),
  WEIR_HARDENING("weir+hardening", "weir", Shape.BAR),
  WEIR_DENSE("weir+dense", "weir", Shape.CORNER),
  WEIR_SHARE_HALF("weir+share-0.5", "weir", Shape.RIGHT),
  WEIR_SHARE_ALL("weir+share-1", "weir", Shape.HEXAGON),
  NETTY_POOLED("netty-pooled", "pooled", Shape.SQUARE),
  NETTY_POOLED_CACHES("netty-pooled+caches", "pooled", Shape.FRAME),
  NETTY_ADAPTIVE("netty-adaptive", "adaptive", Shape.DIAMOND),
  NETTY_ADAPTIVE_CACHES("netty-adaptive+caches", "adaptive", Shape.LOZENGE),
  GLIBC("glibc", "malloc", Shape.UP),
  MIMALLOC("mimalloc", "malloc", Shape.DOWN),
  JEMALLOC("jemalloc", "malloc", Shape.CROSS),
  HARNESS("harness", "harness", Shape.TICK);

  /** Paths around the origin, about ten units across. */
  private enum Shape {
    DISC("M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0z", true),
    RING("M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z", false),
    PLUS("M-5.5 -1h4.5v-4.5h2v4.5h4.5v2h-4.5v4.5h-2v-4.5h-4.5z", true),
    BAR("M-5.5 -2h11v4h-11z", false),
    CORNER("M-5 -5v10h10", false),
    RIGHT("M-4 -5l9 5l-9 5z", true),
    HEXAGON("M-5.5 0l3 -5h5l3 5l-3 5h-5z", true),
    SQUARE("M-4.5 -4.5h9v9h-9z", true),
    FRAME("M-4 -4h8v8h-8z", false),
    DIAMOND("M0 -6l6 6l-6 6l-6 -6z", true),
    LOZENGE("M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z", false),
    UP("M0 -5.5l5 9h-10z", false),
    DOWN("M0 5.5l5 -9h-10z", false),
    CROSS("M-4 -4l8 8m0 -8l-8 8", false),
    TICK("M0 -5v10", false);

    private final String path;
    private final boolean filled;

    Shape(String path, boolean filled) {
      this.path = path;
      this.filled = filled;
    }
  }

  private final String allocator;
  private final String colour;
  private final Shape shape;

  Mark(String allocator, String colour, Shape shape) {
    this.allocator = allocator;
    this.colour = colour;
    this.shape = shape;
  }

  /** The name of the allocator in rows. */
  String allocator() {
    return allocator;
  }

  /** The mark at a place of the drawing. */
  String at(double x, double y) {
    return String.format(
        Locale.ROOT,
        "<path class=\"%s %s\" transform=\"translate(%.1f %.1f)\" d=\"%s\"/>\n",
        colour,
        shape.filled ? "full" : "open",
        x,
        y,
        shape.path);
  }

  /** A line through places of the drawing, {@code x y} with a space between. */
  String line(List<String> places) {
    return "<path class=\"%s open\" d=\"M%s\"/>\n".formatted(colour, String.join("L", places));
  }

  /** Whether it is one of Weir's settings. */
  boolean isWeirs() {
    return colour.equals(WEIR.colour);
  }

  /** A line from the best to the worst round. */
  String spread(double from, double to, double y) {
    return String.format(
        Locale.ROOT, "<path class=\"%s open\" d=\"M%.1f %.1fH%.1f\"/>\n", colour, from, y, to);
  }
}
