package dev.weir.benchmarks.harness;

import dev.weir.benchmarks.peer.Peer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures one cell for every peer. The peers take turns, a JVM each time, so that a machine that
 * slows down for a while slows all of them.
 */
public final class CellRunner {
  /** Fixed, so that a result does not depend on the flags of the JVM that asked for it. */
  private static final List<String> JVM_FLAGS =
      List.of(
          "-Xms1g",
          "-Xmx1g",
          "-XX:+AlwaysPreTouch",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private final Effort effort;
  private final Runnable afterEachJvm;

  /** Runs with {@code effort}, and tells {@code afterEachJvm} whenever a JVM has ended. */
  public CellRunner(Effort effort, Runnable afterEachJvm) {
    this.effort = effort;
    this.afterEachJvm = afterEachJvm;
  }

  /**
   * Measures.
   *
   * @throws RunnerException if JMH cannot run the benchmark
   */
  public Measurement measure(Cell cell, List<Peer> peers) throws RunnerException {
    Map<Peer, List<Double>> rounds = new LinkedHashMap<>();
    for (int round = 0; round < effort.rounds(); round++) {
      for (Peer peer : peers) {
        rounds.computeIfAbsent(peer, first -> new ArrayList<>()).add(runOnce(cell, peer));
        afterEachJvm.run();
      }
    }
    Map<Peer, Score> scores = new LinkedHashMap<>();
    rounds.forEach((peer, nanos) -> scores.put(peer, Score.of(nanos)));
    return new Measurement(cell, scores);
  }

  private double runOnce(Cell cell, Peer peer) throws RunnerException {
    List<String> flags = new ArrayList<>(JVM_FLAGS);
    flags.addAll(cell.thread().jvmFlags());
    flags.addAll(cell.leakDetection().jvmFlags());
    TimeValue iteration = TimeValue.nanoseconds(effort.iteration().toNanos());
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(cell.benchmark()) + "$")
            .param("allocator", peer.label())
            .param("bytes", Integer.toString(cell.bytes()))
            .jvmArgs(flags.toArray(String[]::new))
            .forks(1)
            .warmupIterations(effort.warmups())
            .warmupTime(iteration)
            .measurementIterations(effort.measurements())
            .measurementTime(iteration)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    cell.parameters().forEach(options::param);
    return new Runner(options.build()).runSingle().getPrimaryResult().getScore();
  }
}
