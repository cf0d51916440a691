package dev.weir.lab.replay;

import dev.weir.lab.contender.Writing;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.trace.TraceReader;
import dev.weir.lab.trace.TraceSource;
import dev.weir.lab.trace.synthetic.SyntheticTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is replayed, and within which limits.
 *
 * @param trace the name of a synthetic trace, or else of a file
 * @param seed of a synthetic trace
 * @param scale of a synthetic trace
 * @param budgetBytes what each allocator may use; {@link #NO_BUDGET} for more than it can need
 * @param thread the kind of thread that allocates
 * @param writing how much of each block is written
 * @param onRecordedThreads whether each recorded thread has one here
 * @param time what of the trace's time passes
 * @param rounds how often it is replayed, one time after the other, with the same allocator
 */
record ReplayPlan(
    String trace,
    long seed,
    double scale,
    long budgetBytes,
    ReplayThread thread,
    Writing writing,
    boolean onRecordedThreads,
    ReplayTime time,
    int rounds) {
  static final long NO_BUDGET = 0;

  /** What Weir's pool gets where there is no budget: so much, and several times the peak. */
  private static final long AMPLE_BYTES = 256L << 20;

  private static final int AMPLE_TIMES = 4;

  /** Direct memory for Netty's allocators where there is no budget: 1 TiB. */
  private static final long UNLIMITED_BYTES = 1L << 40;

  /** Begins the trace, with the time in it that passes in a replay. */
  TraceSource open() throws IOException {
    Optional<SyntheticTrace> synthetic = SyntheticTrace.of(trace);
    if (synthetic.isPresent()) {
      return synthetic.get().open(seed, scale);
    }
    Path file = Path.of(trace);
    return time == ReplayTime.RECORDED ? TraceReader.open(file) : CompressedTime.open(file);
  }

  /** How much time passes in the trace as it was recorded. */
  long recordedMicros() throws IOException {
    if (isSynthetic()) {
      return 0;
    }
    try (TraceReader file = TraceReader.open(Path.of(trace))) {
      return file.totals().pausedMicros();
    }
  }

  /** The same within another budget. */
  ReplayPlan within(long otherBudgetBytes) {
    return new ReplayPlan(
        trace, seed, scale, otherBudgetBytes, thread, writing, onRecordedThreads, time, rounds);
  }

  boolean isSynthetic() {
    return SyntheticTrace.of(trace).isPresent();
  }

  /** What is replayed, for the head of a table. */
  String title() {
    String what = isSynthetic() ? "%s, seed %d, scale %s".formatted(trace, seed, scale) : trace;
    String budget = hasBudget() ? ", budget " + Bytes.mib(budgetBytes) + " MiB" : "";
    String threads = onRecordedThreads ? ", on the recorded threads" : "";
    String repeats = rounds > 1 ? ", %d rounds".formatted(rounds) : "";
    String clock = time == ReplayTime.RECORDED ? ", in recorded time" : "";
    return what
        + budget
        + (writing == Writing.BYTES ? ", every byte written" : "")
        + threads
        + clock
        + repeats;
  }

  boolean hasBudget() {
    return budgetBytes != NO_BUDGET;
  }

  /** The most that may be live of a trace with so much live at its peak. */
  long liveBytes(long peakLiveBytes) {
    return hasBudget() ? Math.min(budgetBytes, peakLiveBytes) : peakLiveBytes;
  }

  /** The limit of Weir's pool for a trace with so much live at its peak. */
  long poolBytes(long peakLiveBytes) {
    return hasBudget() ? budgetBytes : AMPLE_BYTES + AMPLE_TIMES * peakLiveBytes;
  }

  /** The JVM's limit of direct memory. */
  long directMemoryBytes() {
    return hasBudget() ? budgetBytes : UNLIMITED_BYTES;
  }

  /** The fields of a row that say what was replayed. */
  Map<String, @Nullable Object> rowOf(String allocator) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("scenario", "replay");
    row.put("trace", trace);
    row.put("seed", isSynthetic() ? seed : null);
    row.put("scale", isSynthetic() ? scale : null);
    row.put("allocator", allocator);
    row.put("budgetBytes", hasBudget() ? budgetBytes : null);
    row.put("thread", thread.label());
    row.put("writes", writing.label());
    row.put("time", time.label());
    row.put("rounds", rounds);
    return row;
  }

  /** As a JSON object, for the process under test. */
  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("trace", trace);
    map.put("seed", seed);
    map.put("scale", scale);
    map.put("budgetBytes", budgetBytes);
    map.put("thread", thread.label());
    map.put("writes", writing.label());
    map.put("onRecordedThreads", onRecordedThreads);
    map.put("time", time.label());
    map.put("rounds", rounds);
    return map;
  }

  static ReplayPlan of(Map<String, Object> map) {
    return new ReplayPlan(
        String.valueOf(map.get("trace")),
        number(map, "seed").longValue(),
        number(map, "scale").doubleValue(),
        number(map, "budgetBytes").longValue(),
        ReplayThread.of(String.valueOf(map.get("thread"))),
        Writing.of(String.valueOf(map.get("writes"))),
        Boolean.TRUE.equals(map.get("onRecordedThreads")),
        ReplayTime.of(String.valueOf(map.get("time"))),
        number(map, "rounds").intValue());
  }

  private static Number number(Map<String, Object> map, String key) {
    if (map.get(key) instanceof Number number) {
      return number;
    }
    throw new IllegalArgumentException("plan without a number '" + key + "': " + map);
  }
}
