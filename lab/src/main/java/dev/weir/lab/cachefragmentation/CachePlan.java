package dev.weir.lab.cachefragmentation;

import static dev.weir.lab.report.JsonLines.number;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The numbers of one run.
 *
 * @param logBytes capacity of the log cache
 * @param blockBytes capacity of the block cache
 * @param limitBytes the direct memory that each allocator may use
 * @param phases how often the load changes
 * @param seed of the load
 * @param pauseMillis how long nothing happens after each phase
 */
public record CachePlan(
    long logBytes, long blockBytes, long limitBytes, int phases, long seed, int pauseMillis) {
  /** Somewhat more than Weir's pool takes to give free pages back. */
  static final int PAUSE_MILLIS = 2_000;

  /** What the two caches are planned to take. */
  long plannedBytes() {
    return logBytes + blockBytes;
  }

  /** As a JSON object, for the process under test. */
  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("logBytes", logBytes);
    map.put("blockBytes", blockBytes);
    map.put("limitBytes", limitBytes);
    map.put("phases", phases);
    map.put("seed", seed);
    map.put("pauseMillis", pauseMillis);
    return map;
  }

  static CachePlan of(Map<String, Object> map) {
    return new CachePlan(
        number(map, "logBytes"),
        number(map, "blockBytes"),
        number(map, "limitBytes"),
        (int) number(map, "phases"),
        number(map, "seed"),
        (int) number(map, "pauseMillis"));
  }
}
