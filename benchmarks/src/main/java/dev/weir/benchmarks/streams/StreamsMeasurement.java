package dev.weir.benchmarks.streams;

import dev.weir.benchmarks.harness.Score;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was measured in one row, by server, round by round. Used by one thread. */
public final class StreamsMeasurement {
  private final StreamsRow row;
  private final Map<String, Map<StreamsMetric, List<Double>>> values = new LinkedHashMap<>();

  private final Map<String, String> failures = new LinkedHashMap<>();

  /** Nothing yet. */
  public StreamsMeasurement(StreamsRow row) {
    this.row = row;
  }

  /** Takes down why a server could not be measured, or not in all rounds. */
  void fail(String server, String reason) {
    failures.put(server, reason);
  }

  /** Why servers could not be measured in all rounds, by name. */
  public Map<String, String> failures() {
    return Collections.unmodifiableMap(failures);
  }

  /** What is measured. */
  public StreamsRow row() {
    return row;
  }

  /** Adds a round of a server. */
  public void add(String server, Map<StreamsMetric, Double> round) {
    Map<StreamsMetric, List<Double>> of =
        values.computeIfAbsent(server, first -> new EnumMap<>(StreamsMetric.class));
    round.forEach(
        (metric, value) -> of.computeIfAbsent(metric, first -> new ArrayList<>()).add(value));
  }

  /** The rounds of a server; empty where that was not measured. */
  public Optional<Score> score(String server, StreamsMetric metric) {
    List<Double> rounds = values.getOrDefault(server, Map.of()).getOrDefault(metric, List.of());
    return rounds.isEmpty() ? Optional.empty() : Optional.of(Score.of(rounds));
  }

  /** The servers that were measured, in the order of their turns. */
  public List<String> servers() {
    return List.copyOf(values.keySet());
  }
}
