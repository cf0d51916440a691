package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.CellRunner;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.report.GoalTable;
import dev.weir.benchmarks.report.MeasurementRows;
import dev.weir.benchmarks.report.MeasurementTable;
import dev.weir.lab.report.ProgressLine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/**
 * Some suites, measured one after the other. Used by one thread; what is finished, any thread may
 * ask for.
 */
final class SuiteRun {
  private final List<Part> parts = new ArrayList<>();
  private final JitState jit;
  private final @Nullable Path json;
  private final ProgressLine progress = ProgressLine.onTerminal();
  private final long startNanos = System.nanoTime();
  private int jvms;
  private int jvmsEnded;

  /** A suite with those that it compares, and what came of it so far. */
  private record Part(Suite suite, List<Peer> peers, Effort effort, List<Measurement> finished) {
    List<Cell> cells() {
      return suite.cells().stream().filter(cell -> !cell.admitted(peers).isEmpty()).toList();
    }
  }

  /** A run that writes what it has into {@code json}, if given, whenever a cell is finished. */
  SuiteRun(JitState jit, @Nullable Path json) {
    this.jit = jit;
    this.json = json;
  }

  /** Adds a suite. */
  void add(Suite suite, List<Peer> peers, Effort effort) {
    Part part = new Part(suite, peers, suite.effort().apply(effort), new CopyOnWriteArrayList<>());
    parts.add(part);
    jvms +=
        part.effort().rounds()
            * part.cells().stream().mapToInt(cell -> cell.admitted(peers).size()).sum();
  }

  /** Whether there is nothing to measure. */
  boolean isEmpty() {
    return jvms == 0;
  }

  /**
   * Measures everything.
   *
   * @throws IOException if a JVM fails, or the file cannot be written
   */
  void measure() throws IOException {
    // Several runs on one machine disturb each other, but each is free to try.
    System.setProperty("jmh.ignoreLock", "true");
    try {
      for (Part part : parts) {
        CellRunner runner =
            new CellRunner(part.effort(), jit, part.suite().jvmFlags(), this::jvmEnded);
        for (Cell cell : part.cells()) {
          showProgress();
          part.finished().add(runner.measure(cell, part.peers()));
          if (json != null) {
            MeasurementRows.write(json, finished());
          }
        }
      }
    } finally {
      progress.clear();
    }
  }

  /** What is finished. */
  List<Measurement> finished() {
    return parts.stream().flatMap(part -> part.finished().stream()).toList();
  }

  /** The tables of what is finished: those of each suite, then that of the goals. */
  String tables(Ansi ansi) {
    List<String> tables = new ArrayList<>();
    for (Part part : parts) {
      tables.add(
          MeasurementTable.render(part.finished(), part.suite().metrics(), part.peers(), ansi));
    }
    tables.add(GoalTable.render(finished(), ansi));
    tables.removeIf(String::isEmpty);
    return String.join("\n", tables);
  }

  private void jvmEnded() {
    jvmsEnded++;
    showProgress();
  }

  private void showProgress() {
    Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
    String rest =
        jvmsEnded == 0
            ? "JVMs"
            : "JVMs, %d s to go"
                .formatted(elapsed.multipliedBy(jvms - jvmsEnded).toSeconds() / jvmsEnded);
    progress.show("", jvmsEnded, jvms, rest);
  }
}
