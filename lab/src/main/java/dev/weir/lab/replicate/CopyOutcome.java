package dev.weir.lab.replicate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What came of the copies of a run.
 *
 * @param nanos of each that is whole
 * @param failure of the first that failed; empty if none did
 * @param busyNanos in which at least one ran
 * @param poolBytes of the receiver, at most
 * @param slowestBytes a second, over ten; 0 if it has not lasted so long
 * @param fastestBytes likewise
 */
record CopyOutcome(
    List<Long> nanos,
    int failures,
    String failure,
    long busyNanos,
    long poolBytes,
    long slowestBytes,
    long fastestBytes) {
  private static final double MEGABYTE = 1e6;
  private static final double NANOS = 1e9;
  private static final double MICROS = 1e6;
  private static final int DIGITS = 3;

  /** Takes in how many copies have ended. */
  @FunctionalInterface
  interface Ended {
    void copies(int count);
  }

  /** Of a receiver that copies as its load says. */
  static CopyOutcome ofLoop(CopyProcess receiver, Ended ended) throws IOException {
    receiver.say("run");
    List<Long> nanos = new ArrayList<>();
    int failures = 0;
    String failure = "";
    while (true) {
      List<String> line = receiver.next("done ", "failed ", "end ");
      if (line.getFirst().equals("end")) {
        return new CopyOutcome(
            nanos,
            failures,
            failure,
            Long.parseLong(line.get(1)),
            Long.parseLong(line.get(2)),
            Long.parseLong(line.get(3)),
            Long.parseLong(line.get(4)));
      }
      if (line.getFirst().equals("done")) {
        nanos.add(Long.parseLong(line.get(1)));
      } else if (failures++ == 0) {
        failure = String.join(" ", line.subList(2, line.size()));
      }
      ended.copies(nanos.size() + failures);
    }
  }

  /** Of a receiver that copies once when it is told so, and ends if it fails. */
  static CopyOutcome ofEach(CopyProcess receiver, CopyPlan.Load load) throws IOException {
    List<Long> nanos = new ArrayList<>();
    long busyNanos = 0;
    for (int i = 0; i < load.copies().containers(); i++) {
      receiver.say("copy");
      nanos.add(Long.parseLong(receiver.next("done ").get(1)));
      busyNanos += nanos.getLast();
      Folders.deleteFiles(load.first());
    }
    return new CopyOutcome(nanos, 0, "", busyNanos, 0, 0, 0);
  }

  /**
   * The figures that a row has of them.
   *
   * @param bytes of a copy
   */
  Map<String, @Nullable Object> row(long bytes) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    Histogram histogram = new Histogram(DIGITS);
    nanos.forEach(each -> histogram.recordValue(each / 1_000));
    boolean some = !nanos.isEmpty();
    row.put("completed", nanos.size());
    row.put("failures", failures);
    row.put("failure", failure);
    row.put(
        "runMegabytesPerSecond",
        some ? bytes * nanos.size() / MEGABYTE / (busyNanos / NANOS) : 0.0);
    row.put(
        "medianMegabytesPerSecond",
        some ? bytes / MEGABYTE / (histogram.getValueAtPercentile(50) / MICROS) : 0.0);
    row.put(
        "meanMegabytesPerSecond",
        nanos.stream().mapToDouble(each -> bytes / MEGABYTE / (each / NANOS)).average().orElse(0));
    row.put("busySeconds", busyNanos / NANOS);
    row.put("minSeconds", histogram.getMinValue() / MICROS);
    row.put("meanSeconds", histogram.getMean() / MICROS);
    row.put("maxSeconds", histogram.getMaxValue() / MICROS);
    row.put("stddevSeconds", histogram.getStdDeviation() / MICROS);
    row.put("p50Seconds", histogram.getValueAtPercentile(50) / MICROS);
    row.put("p75Seconds", histogram.getValueAtPercentile(75) / MICROS);
    row.put("p95Seconds", histogram.getValueAtPercentile(95) / MICROS);
    row.put("p98Seconds", histogram.getValueAtPercentile(98) / MICROS);
    row.put("p99Seconds", histogram.getValueAtPercentile(99) / MICROS);
    row.put("p999Seconds", histogram.getValueAtPercentile(99.9) / MICROS);
    row.put("slowestTenSecondsMegabytes", slowestBytes / MEGABYTE);
    row.put("fastestTenSecondsMegabytes", fastestBytes / MEGABYTE);
    row.put("receiverPoolBytes", poolBytes);
    return row;
  }
}
