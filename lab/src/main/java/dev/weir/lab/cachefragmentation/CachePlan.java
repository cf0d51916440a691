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

  private static final double LIMIT_SHARE = 1.5;
  private static final int QUICK_DIVISOR = 8;
  private static final int QUICK_PHASES = 5;
  private static final long LEAST_BYTES = 32 << 20;

  /** A plan with a limit of half as much again as both caches; an eighth of it if quick. */
  static CachePlan of(long logBytes, long blockBytes, int phases, long seed, boolean quick) {
    long log = quick ? Math.max(LEAST_BYTES, logBytes / QUICK_DIVISOR) : logBytes;
    long block = quick ? Math.max(LEAST_BYTES, blockBytes / QUICK_DIVISOR) : blockBytes;
    int fewer = quick ? Math.min(phases, QUICK_PHASES) : phases;
    return new CachePlan(
        log, block, (long) (LIMIT_SHARE * (log + block)), fewer, seed, PAUSE_MILLIS);
  }

  /** The plan of a user who sets nothing. */
  public static CachePlan standard(boolean quick) {
    return of(512L << 20, 256L << 20, /* phases= */ 10, /* seed= */ 1, quick);
  }

  /** The same within another limit. */
  CachePlan within(long otherLimitBytes) {
    return new CachePlan(logBytes, blockBytes, otherLimitBytes, phases, seed, pauseMillis);
  }

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
