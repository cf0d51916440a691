package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.peer.Peer.Family;
import dev.weir.benchmarks.record.Noise;
import dev.weir.benchmarks.record.Recorder;
import dev.weir.benchmarks.report.MeasurementRows;
import dev.weir.lab.options.Checks;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every suite has in common: flags, running, and reporting. */
final class SuiteOptions {
  private static final int MAX_ROUNDS = 1_000;

  /** What shells call the end by Ctrl-C. */
  private static final int INTERRUPTED = 130;

  private static final List<Peer> QUICK_PEERS =
      Arrays.stream(Peer.values())
          .filter(peer -> peer == Peer.WEIR || peer.family() == Family.NETTY)
          .toList();

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
      description =
          "Adds the run, the machine and the noise to docs/benchmarks/DATE-COMMIT.json and draws"
              + " the charts of that record in docs/img.")
  private boolean record;

  @Option(
      names = "--allocators",
      split = ",",
      converter = Labels.OfPeer.class,
      paramLabel = "NAME",
      description =
          "What to compare; they take turns: weir, weir+charged, weir+budget, weir+hardening,"
              + " weir+dense, weir+share-0.5, weir+share-1, netty-pooled,"
              + " netty-adaptive, netty-pooled+caches, netty-adaptive+caches, glibc, mimalloc,"
              + " jemalloc, harness (default: what the suite is for; with --quick weir and Netty's,"
              + " in 'all' and 'written' malloc too).")
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
      description = "JVMs for each row and allocator (default: 5; fewer with --quick).")
  private @Nullable Integer rounds;

  @Option(
      names = "--jit",
      converter = Labels.OfJitState.class,
      defaultValue = "service",
      paramLabel = "STATE",
      description =
          "What the compiler has seen: service (all kinds of buffers, as in a service) or alone"
              + " (only what is measured; default: ${DEFAULT-VALUE}).")
  private JitState jit;

  SuiteOptions() {}

  boolean quick() {
    return quick;
  }

  /** Each level once, however often it was given. */
  List<LeakDetection> leakDetection() {
    return leakDetection.stream().distinct().toList();
  }

  /**
   * For suites whose JVMs run a whole service or pool, whatever they are to have seen before.
   *
   * @throws ParameterException if the flag asks for another state
   */
  void requireServiceJit() {
    if (jit != JitState.SERVICE) {
      throw rejected("--jit: what this suite runs is always compiled as in a service");
    }
  }

  /** A flag whose value makes no sense: exit code 2 and one line. */
  ParameterException rejected(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /**
   * Measures, prints the tables and writes the files.
   *
   * @throws IOException if a JVM fails, or a file cannot be written
   */
  int run(Suite suite) throws IOException {
    return run(List.of(suite), Effort.QUICK);
  }

  /**
   * Runs some suites as one.
   *
   * @param quickly what {@code --quick} means for them
   * @throws IOException if a JVM fails, or a file cannot be written
   */
  int run(List<Suite> suites, Effort quickly) throws IOException {
    checkJson(suites);
    SuiteRun run = new SuiteRun(jit, json);
    Effort effort = effort(quickly);
    Map<Peer, Optional<String>> missing = new EnumMap<>(Peer.class);
    for (Suite suite : suites) {
      List<Peer> installed = new ArrayList<>(wanted(suite));
      installed.removeIf(peer -> missing.computeIfAbsent(peer, this::tellIfMissing).isPresent());
      run.add(suite, installed, effort);
    }
    if (run.isEmpty()) {
      throw rejected("--allocators and --leak-detection: together they leave nothing to measure");
    }
    Optional<Recorder> recorder = record ? Optional.of(recorder()) : Optional.empty();
    Noise.Watch watch = new Noise.Watch();
    Interruption interruption = new Interruption(() -> printUnfinished(run));
    try {
      run.measure();
    } catch (IOException failed) {
      if (interruption.isUnderWay()) {
        return INTERRUPTED;
      }
      printUnfinished(run);
      throw failed;
    } finally {
      interruption.isOver();
    }
    Noise noise = watch.end();
    print(run);
    noise.warning().ifPresent(this::tell);
    if (recorder.isPresent()) {
      recorder.get().add(noise, MeasurementRows.rows(run.finished()));
    }
    return 0;
  }

  private void checkJson(List<Suite> suites) {
    Checks checks = new Checks(spec);
    checks.requireWritable(json, "--json");
    suites.stream()
        .flatMap(suite -> suite.cells().stream())
        .map(cell -> cell.parameter("sizes"))
        .filter(sizes -> !sizes.isEmpty())
        .distinct()
        .forEach(sizes -> checks.requireOther(json, "--json", Path.of(sizes)));
  }

  private void print(SuiteRun run) {
    CommandLine command = spec.commandLine();
    command.getOut().print(run.tables(command.getColorScheme().ansi()));
    command.getOut().flush();
  }

  private void printUnfinished(SuiteRun run) {
    if (!run.finished().isEmpty()) {
      tell("the run ends early; this much was finished:");
      print(run);
    }
  }

  private Optional<String> tellIfMissing(Peer peer) {
    Optional<String> reason = peer.missing();
    reason.ifPresent(this::tell);
    return reason;
  }

  private void tell(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }

  /** Whom a quick run of a suite compares unless the user chooses. */
  static List<Peer> quickPeers(Suite suite) {
    return firstOf(suite.quickPeers(), firstOf(suite.peers(), QUICK_PEERS));
  }

  private static List<Peer> firstOf(List<Peer> peers, List<Peer> otherwise) {
    return peers.isEmpty() ? otherwise : peers;
  }

  private List<Peer> wanted(Suite suite) {
    if (peers == null) {
      return quick ? quickPeers(suite) : firstOf(suite.peers(), Peer.usual());
    }
    List<Peer> chosen = peers.stream().distinct().toList();
    return suite.peers().isEmpty() ? chosen : compared(suite, chosen);
  }

  /** Those of {@code chosen} that the suite has code for: for any other it would run Weir's. */
  private List<Peer> compared(Suite suite, List<Peer> chosen) {
    List<Peer> left = chosen.stream().filter(peer -> !suite.peers().contains(peer)).toList();
    if (!left.isEmpty() && !suite.cells().isEmpty()) {
      tell(
          "%s compares %s only; left out: %s"
              .formatted(suite.cells().getFirst().suite(), labels(suite.peers()), labels(left)));
    }
    return chosen.stream().filter(suite.peers()::contains).toList();
  }

  private static String labels(List<Peer> peers) {
    return peers.stream().map(Peer::label).collect(Collectors.joining(", "));
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

  private Effort effort(Effort quickly) {
    Effort effort = quick ? quickly : Effort.FULL;
    if (rounds == null) {
      return effort;
    }
    if (rounds < 1 || rounds > MAX_ROUNDS) {
      throw rejected("--rounds must be between 1 and " + MAX_ROUNDS);
    }
    return effort.rounds(rounds);
  }
}
