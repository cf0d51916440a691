package dev.weir.benchmarks.harness;

import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
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
  /**
   * Fixed, so that a result does not depend on the flags of the JVM that asked for it. Netty goes
   * without {@code Unsafe} on this Java unless told otherwise; JMH still asks for it.
   *
   * <p>The Java heap has regions of 32 MB, so that all that lives in it fits into one. With the 1
   * MB that a heap of this size has by itself, it is an accident of layout whether a pattern's
   * array lies in the region of its buffers; where it does not, each store of a buffer costs a
   * fence and a card, which the collector then refines.
   */
  private static final List<String> JVM_FLAGS =
      List.of(
          "-Xms512m",
          "-Xmx512m",
          "-XX:+UseG1GC",
          "-XX:G1HeapRegionSize=32m",
          "-XX:+AlwaysPreTouch",
          "-XX:MaxDirectMemorySize=8g",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-Dio.netty.noUnsafe=true");

  private final Effort effort;
  private final Conditions conditions;
  private final List<String> jvmFlags;
  private final Runnable afterEachJvm;

  /**
   * Runs JVMs in state {@code jit} with {@code jvmFlags}, of which the last of a kind counts, and
   * tells {@code afterEachJvm} whenever one has ended.
   */
  public CellRunner(Effort effort, JitState jit, List<String> jvmFlags, Runnable afterEachJvm) {
    this.effort = effort;
    this.conditions = new Conditions(jit, effort);
    this.jvmFlags = List.copyOf(jvmFlags);
    this.afterEachJvm = afterEachJvm;
  }

  /**
   * Measures the peers that the cell admits.
   *
   * @throws IOException if one of the JVMs fails, or a temporary file cannot be used
   */
  public Measurement measure(Cell cell, List<Peer> peers) throws IOException {
    Map<Peer, Map<Metric, List<Double>>> rounds = new LinkedHashMap<>();
    for (int round = 0; round < effort.rounds(); round++) {
      for (Peer peer : cell.admitted(peers)) {
        Map<Metric, List<Double>> values =
            rounds.computeIfAbsent(peer, first -> new EnumMap<>(Metric.class));
        runOnce(cell, peer)
            .forEach((metric, value) ->
                values.computeIfAbsent(metric, first -> new ArrayList<>()).add(value));
        afterEachJvm.run();
      }
    }
    Map<Peer, Map<Metric, Score>> scores = new LinkedHashMap<>();
    rounds.forEach((peer, values) -> {
      Map<Metric, Score> ofPeer = new EnumMap<>(Metric.class);
      values.forEach((metric, value) -> ofPeer.put(metric, Score.of(value)));
      scores.put(peer, ofPeer);
    });
    return new Measurement(cell, conditions, scores);
  }

  private Map<Metric, Double> runOnce(Cell cell, Peer peer) throws IOException {
    Path file = Files.createTempFile("weir-bench-", ".figures");
    file.toFile().deleteOnExit();
    try {
      if (ProgramRun.isFor(cell)) {
        ProgramRun.measure(cell, peer, effort.iteration(), jvmFlags(cell, file));
        return Figures.read(file);
      }
      RunResult result = new Runner(options(cell, peer, file).build()).runSingle();
      if (result.getPrimaryResult().getSampleCount() < effort.measurements()) {
        throw new IOException(peer.label() + " in " + cell.suite() + ": its JVM ended early");
      }
      Map<Metric, Double> figures = Figures.read(file);
      double nsPerOp = nsPerOp(cell, result.getPrimaryResult().getScore());
      figures.put(Metric.NS_PER_OP, nsPerOp);
      figures.computeIfPresent(
          Metric.GC_NS_PER_OP, (metric, share) -> share * nsPerOp / cell.cores());
      Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
      if (allocated != null && !effort.iteration().isZero()) {
        figures.putIfAbsent(Metric.HEAP_BYTES_PER_OP, allocated.getScore());
      }
      return figures;
    } catch (RunnerException failed) {
      throw new IOException(
          "%s in %s %s: %s"
              .formatted(peer.label(), cell.suite(), cell.parameters().values(), reason(failed)),
          failed);
    } finally {
      Files.delete(file);
    }
  }

  /**
   * Time of one core for an operation, from what JMH makes of a cell: for several threads it adds
   * up their operations in a nanosecond. The mean of their times for an operation, which it would
   * give otherwise, is that of a thread which does next to nothing where one does.
   */
  static double nsPerOp(Cell cell, double score) {
    return isShared(cell) ? cell.cores() / score : score * cell.cores();
  }

  ChainedOptionsBuilder options(Cell cell, Peer peer, Path figures) {
    List<String> flags = new ArrayList<>(JVM_FLAGS);
    flags.addAll(cell.thread().jvmFlags());
    flags.addAll(jvmFlags(cell, figures));
    TimeValue iteration = TimeValue.nanoseconds(effort.iteration().toNanos());
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(cell.benchmark()) + "$")
            .param("allocator", peer.label())
            .threads(jmhThreads(cell))
            .jvmArgs(flags.toArray(String[]::new))
            .forks(1)
            .warmupIterations(effort.warmups() * crowd(jmhThreads(cell)))
            .warmupTime(iteration)
            .measurementIterations(effort.measurements())
            .measurementTime(iteration)
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    if (isShared(cell)) {
      options.mode(Mode.Throughput).timeUnit(TimeUnit.NANOSECONDS);
    }
    cell.parameters().forEach(options::param);
    return options;
  }

  /** Those that every kind of run has. */
  private List<String> jvmFlags(Cell cell, Path figures) {
    List<String> flags = new ArrayList<>(jvmFlags);
    flags.addAll(cell.leakDetection().jvmFlags());
    flags.add(conditions.jit().jvmFlag());
    flags.add(Figures.jvmFlag(figures));
    return flags;
  }

  /**
   * How many times as many iterations warm up so many threads. Where these are many more than the
   * processors the compilers get little of those: with 16 threads on two, nothing was compiled
   * before 3 s had gone.
   */
  private static int crowd(int threads) {
    return Math.max(1, threads / (2 * Runtime.getRuntime().availableProcessors()));
  }

  private static boolean isShared(Cell cell) {
    return jmhThreads(cell) > 1;
  }

  /** Virtual threads are the benchmark's own: JMH starts it once. */
  private static int jmhThreads(Cell cell) {
    return cell.thread() == ThreadKind.VIRTUAL ? 1 : cell.threads();
  }

  /** The innermost cause, which JMH wraps several times. */
  private static String reason(Throwable failed) {
    Throwable cause = failed;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause.getSuppressed().length > 0) {
      return reason(cause.getSuppressed()[0]);
    }
    return String.valueOf(cause.getMessage()).lines().findFirst().orElse("no reason given");
  }
}
