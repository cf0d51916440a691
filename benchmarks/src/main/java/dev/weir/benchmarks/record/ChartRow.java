package dev.weir.benchmarks.record;

import dev.weir.benchmarks.peer.JitState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * A line of a chart: one cell with a value for each allocator.
 *
 * @param group what stands above it: threads, level of leak detection, event loops
 * @param label what stands beside it: the cell's own parameters
 * @param values by allocator
 */
record ChartRow(String group, String label, Map<Mark, Value> values) {
  private static final Set<String> NOT_IN_LABELS =
      Set.of("suite", "loops", "thread", "threads", "leakDetection", "jit", "allocator");

  /** The median of the rounds, the best and the worst. */
  record Value(double median, double min, double max) {}

  /** The lines of one suite and one metric, as in services, from the rows of a record. */
  static List<ChartRow> of(List<Map<String, Object>> rows, String suite, String field) {
    Map<List<String>, Map<Mark, Value>> lines = new LinkedHashMap<>();
    for (Map<String, Object> row : rows) {
      Optional<Mark> mark = mark(row);
      boolean isShown = suite.equals(row.get("suite")) && isOfService(row);
      if (isShown && mark.isPresent() && row.containsKey(field)) {
        lines
            .computeIfAbsent(List.of(group(row), label(row)), first -> new LinkedHashMap<>())
            .put(
                mark.get(),
                new Value(
                    number(row, field), number(row, field + "Min"), number(row, field + "Max")));
      }
    }
    List<ChartRow> charted = new ArrayList<>();
    lines.forEach(
        (key, values) -> charted.add(new ChartRow(key.getFirst(), key.getLast(), values)));
    return charted;
  }

  /** Whether the compiler had seen what it sees in services: records of old do not say, and had. */
  private static boolean isOfService(Map<String, Object> row) {
    return JitState.SERVICE.label().equals(row.getOrDefault("jit", JitState.SERVICE.label()));
  }

  /** How many times the better of Netty's two takes what Weir takes. */
  OptionalDouble timesNetty() {
    Value weir = values.get(Mark.WEIR);
    OptionalDouble netty =
        values.entrySet().stream()
            .filter(entry -> entry.getKey().allocator().startsWith("netty"))
            .mapToDouble(entry -> entry.getValue().median())
            .min();
    return weir == null || weir.median() <= 0 || netty.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(netty.getAsDouble() / weir.median());
  }

  private static Optional<Mark> mark(Map<String, Object> row) {
    for (Mark mark : Mark.values()) {
      if (mark.allocator().equals(row.get("allocator"))) {
        return Optional.of(mark);
      }
    }
    return Optional.empty();
  }

  private static String group(Map<String, Object> row) {
    String threads = String.valueOf(row.get("threads"));
    String loops = String.valueOf(row.getOrDefault("loops", "1"));
    return "%s%s, leak detection %s%s"
        .formatted(
            threads.equals("1") ? "" : threads + " ",
            row.get("thread"),
            row.get("leakDetection"),
            loops.equals("1") ? "" : ", " + loops + " loops alive");
  }

  /** Everything that comes before the measured values and says more than its default. */
  private static String label(Map<String, Object> row) {
    List<String> words = new ArrayList<>();
    for (Map.Entry<String, Object> field : row.entrySet()) {
      String value = String.valueOf(field.getValue());
      switch (field.getKey()) {
        case "live" -> {
          if (!value.equals("1")) {
            words.add(value + " live");
          }
        }
        case "touch" -> {
          if (value.equals("yes")) {
            words.add("touched");
          }
        }
        case "contentMiB" -> words.add(value + " MiB");
        case "queue" -> words.add("queue " + value);
        case "allocator" -> {
          return String.join(" · ", words);
        }
        default -> {
          if (!NOT_IN_LABELS.contains(field.getKey())) {
            words.add(value);
          }
        }
      }
    }
    return String.join(" · ", words);
  }

  private static double number(Map<String, Object> row, String field) {
    return row.get(field) instanceof Number number ? number.doubleValue() : 0;
  }
}
