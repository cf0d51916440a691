package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.CellRunner;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.record.Noise;
import dev.weir.benchmarks.record.Recorder;
import dev.weir.benchmarks.report.MeasurementRows;
import dev.weir.benchmarks.report.MeasurementTable;
import dev.weir.benchmarks.report.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every suite has in common: flags, running, and reporting. */
final class SuiteOptions {
  private static final int MAX_ROUNDS = 1_000;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--quick", description = "Minutes instead of hours: fewer rows, shorter runs.")
  private boolean quick;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also writes one JSON object for each row and allocator into this file.")
  private @Nullable Path json;

  @Option(
      names = "--record",
      description = {
        "Adds the run, the machine and the noise to docs/benchmarks/DATE-COMMIT.json and draws the",
        "charts of that record in docs/img."
      })
  private boolean record;

  @Option(
      names = "--allocators",
      split = ",",
      converter = Labels.OfPeer.class,
      paramLabel = "NAME",
      description = {
        "What to compare; they take turns: weir, weir+budget, netty-pooled, netty-adaptive,",
        "netty-pooled+caches, netty-adaptive+caches, glibc, mimalloc, jemalloc, harness",
        "(default: all; with --quick weir, netty-pooled, netty-adaptive)."
      })
  private @Nullable List<Peer> peers;

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

  @Option(
      names = "--jit",
      converter = Labels.OfJitState.class,
      defaultValue = "service",
      paramLabel = "STATE",
      description = {
        "What the compiler has seen: service (all kinds of buffers, as in a service) or alone",
        "(only what is measured; default: ${DEFAULT-VALUE})."
      })
  private JitState jit;

  SuiteOptions() {}

  boolean quick() {
    return quick;
  }

  List<LeakDetection> leakDetection() {
    return leakDetection;
  }

  /** A flag whose value makes no sense: exit code 2 and one line. */
  ParameterException rejected(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** Measures, prints the tables and writes the file. */
  int run(Suite suite) throws IOException, RunnerException {
    Effort effort = suite.once() ? effort().once() : effort();
    checkWritable();
    Optional<Recorder> recorder = record ? Optional.of(recorder()) : Optional.empty();
    List<Peer> installed = installedPeers();
    List<Cell> cells =
        suite.cells().stream().filter(cell -> !cell.admitted(installed).isEmpty()).toList();
    Noise.Watch watch = new Noise.Watch();
    List<Measurement> measurements = measure(cells, installed, effort);
    Noise noise = watch.end();
    if (recorder.isPresent()) {
      recorder.get().add(noise, MeasurementRows.rows(measurements));
    }
    CommandLine command = spec.commandLine();
    PrintWriter out = command.getOut();
    out.print(
        MeasurementTable.render(
            measurements, suite.metrics(), installed, command.getColorScheme().ansi()));
    out.flush();
    noise.warning().ifPresent(this::tell);
    return 0;
  }

  private List<Measurement> measure(List<Cell> cells, List<Peer> installed, Effort effort)
      throws IOException, RunnerException {
    // Several runs on one machine disturb each other, but each is free to try.
    System.setProperty("jmh.ignoreLock", "true");
    int jvms = cells.stream().mapToInt(cell -> cell.admitted(installed).size()).sum();
    Progress progress = new Progress(jvms * effort.rounds());
    CellRunner runner = new CellRunner(effort, jit, progress::step);
    List<Measurement> measurements = new ArrayList<>();
    try {
      for (Cell cell : cells) {
        measurements.add(runner.measure(cell, installed));
        if (json != null) {
          MeasurementRows.write(json, measurements);
        }
      }
    } finally {
      progress.clear();
    }
    return measurements;
  }

  private List<Peer> installedPeers() {
    List<Peer> installed = new ArrayList<>();
    for (Peer peer : peers == null ? defaultPeers() : peers) {
      if (peer.isInstalled()) {
        installed.add(peer);
      } else {
        tell(peer.label() + " is not installed here, or no JVM can load it: it is left out");
      }
    }
    return installed;
  }

  private void tell(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }

  private List<Peer> defaultPeers() {
    return quick
        ? List.of(Peer.WEIR, Peer.NETTY_POOLED, Peer.NETTY_ADAPTIVE)
        : List.of(Peer.values());
  }

  private Recorder recorder() throws IOException {
    try {
      return Recorder.begin(Path.of(""), commandLine());
    } catch (IllegalStateException notHere) {
      throw rejected("--record: " + notHere.getMessage());
    }
  }

  private String commandLine() {
    CommandSpec root = spec.root();
    List<String> arguments = root.commandLine().getParseResult().originalArgs();
    return root.name() + " " + String.join(" ", arguments);
  }

  private Effort effort() {
    Effort effort = quick ? Effort.QUICK : Effort.FULL;
    if (rounds == null) {
      return effort;
    }
    if (rounds < 1 || rounds > MAX_ROUNDS) {
      throw rejected("--rounds must be between 1 and " + MAX_ROUNDS);
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
      throw rejected("--json: cannot write the file '" + json + "'");
    }
  }
}
