package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.CellRunner;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.report.MeasurementRows;
import dev.weir.benchmarks.report.MeasurementTable;
import dev.weir.benchmarks.report.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every suite has in common: flags, running, and reporting. */
final class SuiteOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--quick", description = "Minutes instead of an hour: fewer rows, shorter runs.")
  private boolean quick;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also writes one JSON object for each row and allocator into this file.")
  private @Nullable Path json;

  @Option(
      names = "--allocators",
      split = ",",
      converter = Labels.OfPeer.class,
      defaultValue = "weir,netty-pooled,netty-adaptive",
      paramLabel = "NAME",
      description = "What to compare; they take turns (default: ${DEFAULT-VALUE}).")
  private List<Peer> peers;

  @Option(
      names = "--thread",
      split = ",",
      converter = Labels.OfThreadKind.class,
      paramLabel = "KIND",
      description = "event-loop, plain (default: both; with --quick event-loop).")
  private @Nullable List<ThreadKind> threads;

  @Option(
      names = "--leak-detection",
      split = ",",
      converter = Labels.OfLeakDetection.class,
      defaultValue = "disabled,simple",
      paramLabel = "LEVEL",
      description = "Levels of Netty's leak detector (default: ${DEFAULT-VALUE}).")
  private List<LeakDetection> leakDetection;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "JVMs for each row and allocator (default: 5; with --quick 3).")
  private @Nullable Integer rounds;

  SuiteOptions() {}

  boolean quick() {
    return quick;
  }

  List<ThreadKind> threads() {
    if (threads != null) {
      return threads;
    }
    return quick ? List.of(ThreadKind.EVENT_LOOP) : List.of(ThreadKind.values());
  }

  List<LeakDetection> leakDetection() {
    return leakDetection;
  }

  /** Measures the cells, prints the table and writes the file. */
  int run(List<Cell> cells) throws IOException, RunnerException {
    Effort effort = effort();
    checkWritable();
    // Several runs on one machine disturb each other, but each is free to try.
    System.setProperty("jmh.ignoreLock", "true");
    Progress progress = new Progress(cells.size() * peers.size() * effort.rounds());
    CellRunner runner = new CellRunner(effort, progress::step);
    List<Measurement> measurements = new ArrayList<>();
    try {
      for (Cell cell : cells) {
        measurements.add(runner.measure(cell, peers));
        if (json != null) {
          MeasurementRows.write(json, measurements);
        }
      }
    } finally {
      progress.clear();
    }
    CommandLine command = spec.commandLine();
    PrintWriter out = command.getOut();
    out.print(MeasurementTable.render(measurements, peers, command.getColorScheme().ansi()));
    out.flush();
    return 0;
  }

  private Effort effort() {
    Effort effort = quick ? Effort.QUICK : Effort.FULL;
    if (rounds == null) {
      return effort;
    }
    if (rounds < 1 || rounds > 1_000) {
      throw new ParameterException(spec.commandLine(), "--rounds must be between 1 and 1000");
    }
    return new Effort(rounds, effort.warmups(), effort.measurements(), effort.iteration());
  }

  /** Finds out before the run rather than after it. */
  private void checkWritable() {
    if (json == null) {
      return;
    }
    Path folder = json.toAbsolutePath().getParent();
    if (Files.isDirectory(json) || folder == null || !Files.isWritable(folder)) {
      throw new ParameterException(
          spec.commandLine(), "--json: cannot write the file '" + json + "'");
    }
  }
}
