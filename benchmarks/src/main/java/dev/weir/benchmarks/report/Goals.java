package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.pattern.SizeMix;
import dev.weir.benchmarks.report.Goal.Kind;
import java.util.List;
import java.util.Map;

/** What Weir is to reach, cell by cell. */
public final class Goals {
  /** How the ways of the compression suite begin that go through a handler, to a library. */
  private static final String RESPONSE = "response-";

  private static final double LARGEST_SLOT_BYTES = 64 << 10;
  private static final double KIB = 1 << 10;
  private static final double MIB = 1 << 20;

  private Goals() {}

  /** Whether there is something to be reached in a cell. */
  public static boolean judge(Cell cell) {
    return of(cell).stream().anyMatch(Goal::isJudged);
  }

  /**
   * The goals of a cell, of which most have none or one. What is only shown is among them: rows of
   * the patterns that have no goal, and those that are touched.
   */
  public static List<Goal> of(Cell cell) {
    return switch (cell.suite()) {
      case "alloc" -> {
        List<Goal> goals = isTouched(cell) ? List.of() : alloc(cell);
        yield goals.isEmpty() ? List.of(Goal.shown(Metric.NS_PER_OP)) : goals;
      }
      case "scale" -> List.of(Goal.shown(Metric.NS_PER_OP));
      case "virtual" -> {
        if (isTouched(cell)) {
          yield List.of(Goal.shown(Metric.NS_PER_OP));
        }
        yield isAllocateRelease(cell) ? times(cell, 2.5, 2) : List.of();
      }
      case "crossthread" ->
          isTouched(cell) ? List.of(Goal.shown(Metric.NS_PER_OP)) : times(cell, 3, 2);
      case "grow" ->
          List.of(
              new Goal(Metric.NS_PER_OP, Kind.TIMES_NETTY, 3),
              new Goal(
                  Metric.POOL_RSS_BYTES,
                  Kind.AT_MOST,
                  1.1 * Integer.parseInt(cell.parameter("contentMiB")) * MIB + 64 * KIB));
      case "charged" -> List.of(new Goal(Metric.NS_PER_OP, Kind.TIMES_BARE, 1.5));
      case "heap" ->
          List.of(
              new Goal(Metric.HEAP_BYTES_PER_BUFFER, Kind.NO_MORE_THAN_NETTY, 1),
              new Goal(Metric.GC_NS_PER_OP, Kind.NO_MORE_THAN_NETTY, 1));
      case "written" ->
          List.of(
              new Goal(Metric.NS_PER_OP, Kind.TIMES_NETTY, 1),
              new Goal(Metric.NS_PER_OP, Kind.TIMES_MIMALLOC, 1 / 1.1),
              new Goal(Metric.PEAK_RSS_BYTES, Kind.NO_MORE_THAN_LEAST_OR_FASTEST, 1.05),
              new Goal(Metric.IDLE_EXCESS_BYTES, Kind.AT_MOST, 8 * MIB));
      case "loops" -> List.of(new Goal(Metric.RSS_BYTES_PER_LOOP, Kind.AT_MOST, 200 * KIB));
      case "hello" -> List.of(new Goal(Metric.NS_PER_OP, Kind.TIMES_NETTY, 0.98));
      case "compression" -> compression(cell.parameter("way"));
      case "compression-turns" ->
          cell.parameter("way").startsWith(RESPONSE)
              ? List.of(new Goal(Metric.PERCENT_OF_LIBRARY, Kind.AT_MOST, 100 / 0.95))
              : List.of();
      default -> List.of();
    };
  }

  private static List<Goal> alloc(Cell cell) {
    String sizes = cell.parameter("sizes");
    String live = cell.parameter("live");
    return switch (cell.parameter("pattern")) {
      case "allocate-release" -> {
        if (SizeMix.of(sizes, 1).meanBytes() > LARGEST_SLOT_BYTES) {
          yield List.of();
        }
        yield cell.thread() == ThreadKind.EVENT_LOOP ? times(cell, 4, 2.5) : times(cell, 3, 2);
      }
      case "ring" ->
          live.equals("1024") && SizeMix.of(sizes, 1).meanBytes() <= LARGEST_SLOT_BYTES
              ? times(cell, 4, 2.5)
              : List.of();
      default -> random(cell, sizes, live);
    };
  }

  /**
   * Of responses, beside Netty's handler: with all that their pipelines take, and each without what
   * its pipeline takes that has none.
   */
  private static List<Goal> compression(String way) {
    if (!way.startsWith(RESPONSE)) {
      return List.of();
    }
    // Objects as the pipeline alone makes them, which is less: the compiler inlines more of it.
    Map<String, String> alone = Map.of("way", "uncompressed");
    Map<String, String> beside = Map.of("way", "uncompressed-beside-bare");
    return List.of(
        new Goal(Metric.GC_NS_PER_OP, Kind.TIMES_NETTY, 5),
        new Goal(Metric.GC_NS_PER_OP, Kind.TIMES_NETTY, 5, beside),
        new Goal(Metric.HEAP_BYTES_PER_OP, Kind.TIMES_NETTY, 5, alone));
  }

  private static List<Goal> random(Cell cell, String sizes, String live) {
    return switch (live) {
      case "1024" ->
          switch (sizes) {
            case "1..256", "1..4K" -> times(cell, 2.5, 1.8);
            case "1..64K", "64K..4M" -> times(cell, 4, 2.5);
            default -> List.of();
          };
      case "65536" -> times(cell, 1.5, 1.3);
      default -> List.of();
    };
  }

  /** Such rows are shown: what is to be reached was said of allocating and releasing alone. */
  private static boolean isTouched(Cell cell) {
    return "yes".equals(cell.parameters().get("touch"));
  }

  private static boolean isAllocateRelease(Cell cell) {
    return "allocate-release".equals(cell.parameter("pattern"));
  }

  private static List<Goal> times(Cell cell, double disabled, double simple) {
    boolean tracked = cell.leakDetection() == LeakDetection.SIMPLE;
    return List.of(new Goal(Metric.NS_PER_OP, Kind.TIMES_NETTY, tracked ? simple : disabled));
  }
}
