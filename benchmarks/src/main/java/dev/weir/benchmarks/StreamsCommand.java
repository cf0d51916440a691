package dev.weir.benchmarks;

import dev.weir.benchmarks.record.Noise;
import dev.weir.benchmarks.record.Recorder;
import dev.weir.benchmarks.streams.StreamsEffort;
import dev.weir.benchmarks.streams.StreamsReport;
import dev.weir.benchmarks.streams.StreamsRow;
import dev.weir.benchmarks.streams.StreamsRun;
import dev.weir.benchmarks.streams.load.AppendLoad;
import dev.weir.benchmarks.streams.load.NettyLoad;
import dev.weir.benchmarks.streams.process.StreamServer;
import dev.weir.lab.options.Checks;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.ProgressLine;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir bench streams}. */
@Command(
    name = "streams",
    description =
        "Measures this node beside other servers of Durable Streams that are on the PATH: appends,"
            + " catch-up, delivery, memory, bytes on disks.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir bench streams --quick",
      "  weir bench streams --rows append-1K-1,catch-up-1 --rounds 5 --json rows.jsonl",
      "  weir bench streams --quick --serve-flags '--event-loops 1'",
      "",
      "Peer: cargo install durable-streams --version 0.1.5. Load: wrk, where it is installed."
    })
final class StreamsCommand implements Callable<Integer> {
  private static final int MAX_ROUNDS = 100;
  private static final Pattern SPACES = Pattern.compile(" +");

  /** A row lacks figures: a server has failed. */
  private static final int SERVER_FAILED = 3;

  /** What shells call the end by Ctrl-C. */
  private static final int INTERRUPTED = 130;

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Three short rounds instead of five long ones.")
  private boolean quick;

  @Option(
      names = "--rows",
      split = ",",
      converter = Labels.OfStreamsRow.class,
      paramLabel = "NAME",
      description =
          "append-1K-1, append-1K-100, append-1K-1000, append-1K-100000, append-100K-1,"
              + " append-100K-100, catch-up-1, catch-up-4, sse-100, long-poll-100,"
              + " beside-8-readers, beside-copy (default: all).")
  private @Nullable List<StreamsRow> rows;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Processes for each row and server (default: 5; 3 with --quick).")
  private @Nullable Integer rounds;

  @Option(
      names = "--serve-flags",
      paramLabel = "FLAGS",
      defaultValue = "",
      description = "More flags for this node's 'serve', in one argument.")
  private String serveFlags;

  @Option(
      names = "--load",
      paramLabel = "HOW",
      defaultValue = "auto",
      description = "How appends are made: wrk, netty, or auto: wrk if it is there.")
  private String load;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Where servers store what they are sent (default: the temporary folder).")
  private @Nullable Path folder;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also writes one JSON object for each row and server into this file.")
  private @Nullable Path json;

  @Option(names = "--record", description = "Adds the run to docs/benchmarks/DATE-COMMIT.json.")
  private boolean record;

  StreamsCommand() {}

  @Override
  public Integer call() throws IOException {
    new Checks(spec).requireWritable(json, "--json");
    Path parent = folder == null ? Path.of(System.getProperty("java.io.tmpdir")) : folder;
    if (!Files.isDirectory(parent) || !Files.isWritable(parent)) {
      throw rejected("--folder: '%s' is no folder that can be written to".formatted(parent));
    }
    StreamsEffort effort = effort();
    AppendLoad appends = appendLoad();
    List<StreamServer> known =
        List.of(
            StreamServer.weir(
                SPACES.splitAsStream(serveFlags.strip()).filter(flag -> !flag.isEmpty()).toList()),
            StreamServer.rust());
    List<StreamServer> there = known.stream().filter(server -> server.missing().isEmpty()).toList();
    Map<String, String> missing = new LinkedHashMap<>();
    known.forEach(
        server -> server.missing().ifPresent(reason -> missing.put(server.label(), reason)));
    List<StreamsRow> chosen = rows == null ? List.of(StreamsRow.values()) : rows;
    StreamsRun run = new StreamsRun(chosen.stream().distinct().toList(), there, effort, appends);
    return measure(run, parent, new Report(there, missing, effort, appends));
  }

  /** How a run is shown. */
  private record Report(
      List<StreamServer> servers,
      Map<String, String> missing,
      StreamsEffort effort,
      AppendLoad load) {
    String text(StreamsRun run, CommandLine.Help.Ansi ansi) {
      List<String> labels = servers.stream().map(StreamServer::label).toList();
      return "appends by %s\n".formatted(load.label())
          + StreamsReport.text(run.finished(), labels, missing, ansi);
    }

    List<Map<String, Object>> rows(StreamsRun run) {
      return StreamsReport.rows(run.finished(), effort, load.label(), missing);
    }
  }

  private int measure(StreamsRun run, Path parent, Report report) throws IOException {
    Optional<Recorder> recorder = record ? Optional.of(recorder()) : Optional.empty();
    Noise.Watch watch = new Noise.Watch();
    Interruption interruption = new Interruption(() -> printUnfinished(run, report));
    try {
      run.measure(parent, progress(run), interruption::isUnderWay);
    } catch (IOException failed) {
      if (interruption.isUnderWay()) {
        return INTERRUPTED;
      }
      printUnfinished(run, report);
      throw failed;
    } finally {
      interruption.isOver();
    }
    Noise noise = watch.end();
    print(run, report);
    noise.warning().ifPresent(this::tell);
    if (json != null) {
      JsonLines.write(json, report.rows(run));
    }
    if (recorder.isPresent()) {
      recorder.get().add(noise, report.rows(run));
    }
    boolean isWhole = run.finished().stream().allMatch(row -> row.failures().isEmpty());
    return isWhole ? CommandLine.ExitCode.OK : SERVER_FAILED;
  }

  private BiConsumer<String, Integer> progress(StreamsRun run) {
    ProgressLine line = ProgressLine.onTerminal();
    boolean isTerminal =
        Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    long start = System.nanoTime();
    return (what, ended) -> {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      String rest =
          ended == 0
              ? "processes"
              : "processes, %d s to go"
                  .formatted(elapsed.multipliedBy(run.turns() - ended).toSeconds() / ended);
      if (what.isEmpty()) {
        line.clear();
      } else if (isTerminal) {
        line.show(what, ended, run.turns(), rest);
      } else {
        tell("%s: %d of %d %s".formatted(what, ended, run.turns(), rest));
      }
    };
  }

  private void print(StreamsRun run, Report report) {
    CommandLine command = spec.commandLine();
    command.getOut().print(report.text(run, command.getColorScheme().ansi()));
    command.getOut().flush();
  }

  private void printUnfinished(StreamsRun run, Report report) {
    if (!run.finished().isEmpty()) {
      tell("the run ends early; this much was finished:");
      print(run, report);
    }
  }

  private void tell(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }

  private StreamsEffort effort() {
    StreamsEffort effort = quick ? StreamsEffort.QUICK : StreamsEffort.FULL;
    if (rounds == null) {
      return effort;
    }
    if (rounds < 1 || rounds > MAX_ROUNDS) {
      throw rejected("--rounds must be between 1 and " + MAX_ROUNDS);
    }
    return effort.rounds(rounds);
  }

  private AppendLoad appendLoad() {
    return switch (load) {
      case "netty" -> new NettyLoad();
      case "wrk" ->
          AppendLoad.wrk()
              .orElseThrow(() -> rejected("--load wrk: it is not on the PATH; apt install wrk"));
      case "auto" -> AppendLoad.wrk().orElseGet(NettyLoad::new);
      default -> throw rejected("--load: '%s' is not wrk, netty or auto".formatted(load));
    };
  }

  private Recorder recorder() throws IOException {
    try {
      List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
      return Recorder.begin(Path.of(""), spec.root().name() + " " + String.join(" ", arguments));
    } catch (IllegalStateException notHere) {
      throw rejected("--record: " + notHere.getMessage());
    }
  }

  private ParameterException rejected(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
