package dev.weir.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.LabCommand;
import dev.weir.lab.ScriptedJdk;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.scenario.ScenarioRun;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** A small trace through the command line, written to a file and replayed from it. */
class ReplayCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @Test
  void aGeneratedFileIsReplayedAsItsNameIs() throws IOException {
    Path trace = folder.resolve("small.trace");
    Path json = folder.resolve("rows.jsonl");
    Path html = folder.resolve("page.html");
    assertThat(lab("generate", "mixed", "--scale", "0.02", "-o", trace.toString())).isZero();
    assertThat(out.toString()).contains("10,000 allocations");

    int exit =
        lab(
            "replay",
            trace.toString(),
            "--allocators",
            "weir,sequential",
            "--budget",
            "256M",
            "--json",
            json.toString(),
            "--html",
            html.toString());

    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    List<Map<String, Object>> rows =
        Files.readAllLines(json).stream().map(JsonLines::parse).toList();
    assertThat(rows).extracting("allocator").containsExactly("weir", "sequential");
    assertThat(rows).extracting("scenario").containsOnly("replay");
    assertThat(rows).extracting("trace").containsOnly(trace.toString());
    assertThat(rows).extracting("allocations").containsOnly(8_000);
    assertThat(rows).extracting("refusals").containsOnly(0);
    Map<String, Object> weir = rows.getFirst();
    assertThat(weir.get("peakLiveBytes")).isEqualTo(rows.getLast().get("peakLiveBytes"));
    assertThat(number(weir, "peakResidentBytes"))
        .isBetween(number(weir, "peakPageBytes"), 256L << 20);
    assertThat(number(weir, "peakRssBytes")).isPositive();
    assertThat(number(weir, "peakExcessBytes")).isLessThanOrEqualTo(1 << 20);
    assertThat(weir.get("idle")).isInstanceOf(Map.class);
    assertThat(out.toString()).contains("idle RSS").contains("sequential");
    assertThat(Files.readString(html))
        .contains("small.trace")
        .contains("aria-label=\"What weir held over the course of the trace\"")
        .contains("<path class=\"rss\"")
        .contains("<title>steady</title>")
        .endsWith("</html>\n");
  }

  @Test
  void everyByteIsWrittenIfThatIsAskedFor() throws IOException {
    Path json = folder.resolve("rows.jsonl");
    String[] replay = {
      "replay",
      "mixed",
      "--scale",
      "0.02",
      "--allocators",
      "weir,weir-heap",
      "--writes",
      "bytes",
      "--json",
      json.toString()
    };
    assertThat(lab(replay)).isZero();
    assertThat(out.toString()).startsWith("mixed, seed 1, scale 0.02, every byte written\n");
    assertThat(Files.readAllLines(json).stream().map(JsonLines::parse))
        .extracting("writes")
        .containsExactly("bytes", "bytes");
  }

  /** The limit is far below what the trace has live at its peak, so that the pool has to refuse. */
  @Test
  void aPoolRefusesOnlyBeyondItsBound() throws IOException {
    Path json = folder.resolve("rows.jsonl");
    int exit =
        lab(
            "replay",
            "mixed",
            "--scale",
            "0.02",
            "--allocators",
            "weir,glibc",
            "--budget",
            "24M",
            "--json",
            json.toString());

    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    List<Map<String, Object>> rows =
        Files.readAllLines(json).stream().map(JsonLines::parse).toList();
    Map<String, Object> weir = rows.getFirst();
    assertThat(number(weir, "refusals")).isPositive();
    assertThat(number(weir, "refusalsWithinBound")).isZero();
    assertThat(number(weir, "peakResidentBytes")).isLessThanOrEqualTo(24 << 20);
    assertThat(rows.getLast()).containsEntry("refusalsWithinBound", null);
    assertThat(out.toString()).containsPattern("weir +" + weir.get("refusals") + " +0 ");
  }

  @Test
  void goalsOfAWholeTraceAreBelowItsTablesAndOnThePage() throws IOException {
    Path html = folder.resolve("page.html");
    String[] replay = {
      "replay",
      "churn-1m",
      "--allocators",
      "weir+dense",
      "--budget",
      "32M",
      "--html",
      html.toString()
    };
    assertThat(lab(replay)).isZero();
    assertThat(out.toString())
        .containsPattern("(?m)^dense: refusals within bound +0 +at most 0 +reached$")
        .containsPattern("of 4 goals are reached\\R$");
    assertThat(Files.readString(html)).contains("of 4 goals are reached");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--allocators | cache | --allocators | dlmalloc",
        "--budget | cache | --budget | 4",
        "--budget | cache | --budget | much",
        "--seed | cache | --seed | x",
        "--scale | cache | --scale | 0",
        "--thread | cache | --thread | virtual",
        "--writes | cache | --writes | nothing",
        "--what-if | cache | --what-if | decay=1ms",
        "--what-if | cache | --what-if | size=7",
        "--rounds | cache | --rounds | 0",
        "--json | churn-1m | --json | /no-such-folder/rows.jsonl",
        "--html | churn-1m | --html | /no-such-folder/page.html",
        "no trace 'cash' | cash | --seed | 1",
      })
  void whatIsWrongIsNamed(String named, String trace, String flag, String value) {
    assertThat(lab("replay", trace, flag, value)).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow()).contains(named);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aDamagedTraceIsRefusedBeforeAnythingRuns() throws IOException {
    Path trace = folder.resolve("small.trace");
    assertThat(lab("generate", "mixed", "--scale", "0.02", "-o", trace.toString())).isZero();
    byte[] bytes = Files.readAllBytes(trace);
    bytes[bytes.length / 2]++;
    Files.write(trace, bytes);
    assertThat(lab("replay", trace.toString())).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow())
        .contains("small.trace' is damaged behind event");
  }

  @Test
  void aTraceIsNotReplacedByItsRowsOrItsPage() throws IOException {
    Path trace = folder.resolve("small.trace");
    assertThat(lab("generate", "mixed", "--scale", "0.02", "-o", trace.toString())).isZero();
    byte[] before = Files.readAllBytes(trace);
    for (String flag : List.of("--json", "--html")) {
      err.getBuffer().setLength(0);
      assertThat(lab("replay", trace.toString(), flag, trace.toString(), "--allocators", "glibc"))
          .isEqualTo(CommandLine.ExitCode.USAGE);
      assertThat(err.toString().lines().findFirst().orElseThrow()).contains(flag);
      assertThat(trace).hasBinaryContent(before);
    }
    String both = folder.resolve("both").toString();
    assertThat(lab("replay", "mixed", "--json", both, "--html", both, "--scale", "0.02"))
        .isEqualTo(CommandLine.ExitCode.USAGE);
  }

  @Test
  void aTraceThatIsTooMuchForTheMachineIsRefusedBeforeAnythingRuns() throws IOException {
    Path large = folder.resolve("large.trace");
    try (TraceWriter writer = TraceWriter.create(large)) {
      for (int slot = 0; slot < 10_000; slot++) {
        writer.allocate(slot, Integer.MAX_VALUE);
      }
      writer.finish();
    }
    assertThat(lab("replay", large.toString())).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow())
        .contains("large.trace' has up to", "--budget");

    err.getBuffer().setLength(0);
    Path slow = folder.resolve("slow.trace");
    try (TraceWriter writer = TraceWriter.create(slow)) {
      for (int hour = 0; hour < 25; hour++) {
        writer.pause(3_600_000_000L);
      }
      writer.finish();
    }
    assertThat(lab("replay", slow.toString())).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow())
        .contains("slow.trace' pauses for 90,000 s");
  }

  @Test
  void aPauseWhileWarmingUpIsNotTheOneThatIsLookedAt() throws IOException {
    Path trace = folder.resolve("warm.trace");
    Path json = folder.resolve("rows.jsonl");
    try (TraceWriter writer = TraceWriter.create(trace)) {
      writer.phase(new TracePhase("first", TracePhase.Kind.WARM_UP));
      writer.allocate(0, 1 << 20);
      writer.pause(2_000_000);
      writer.phase(new TracePhase("then", TracePhase.Kind.COUNTED));
      writer.allocate(1, 1 << 20);
      writer.finish();
    }
    String[] replay = {
      "replay", trace.toString(), "--allocators", "glibc", "--json", json.toString()
    };
    assertThat(lab(replay)).isZero();
    Map<String, Object> row = JsonLines.parse(Files.readString(json));
    assertThat(String.valueOf(row.get("idle"))).contains("liveBytes=2097152");
  }

  @Test
  void oldNettysAndOtherSettingsAreRowsBesideTheOthers() throws IOException {
    Path json = folder.resolve("rows.jsonl");
    String[] replay = {
      "replay",
      "mixed",
      "--scale",
      "0.02",
      "--rounds",
      "2",
      "--jdk",
      System.getProperty("java.home"),
      "--allocators",
      "weir,netty-4.1.51,none",
      "--what-if",
      "decay=20ms,share=0.01",
      "--json",
      json.toString()
    };
    assertThat(lab(replay)).as(out.toString() + err).isZero();
    List<Map<String, Object>> rows =
        Files.readAllLines(json).stream().map(JsonLines::parse).toList();
    assertThat(rows)
        .extracting("allocator")
        .containsExactly("weir", "netty-4.1.51", "none", "weir decay=20ms,share=0.01");
    assertThat(rows).extracting("refusals").containsOnly(0);
    assertThat(rows.get(1)).containsEntry("netty", "4.1.51").containsEntry("allocations", 10_000);
    assertThat(number(rows.get(1), "peakResidentBytes")).isPositive();
    assertThat(rows).extracting("nanosPerEvent").doesNotContainNull();
    assertThat(out.toString())
        .contains("weir decay=20ms,share=0.01 against weir: ")
        .contains("none: ns an event");
  }

  @Test
  void aPeerThatEndsEarlyIsNamedAndTheOthersAreThere() throws IOException {
    Path json = folder.resolve("rows.jsonl");
    Path jdk = ScriptedJdk.create(folder, "echo gone >&2; exit 1");
    String[] replay = {
      "replay",
      "mixed",
      "--scale",
      "0.02",
      "--jdk",
      jdk.toString(),
      "--allocators",
      "netty-4.1.68,sequential",
      "--json",
      json.toString()
    };
    assertThat(lab(replay)).isEqualTo(ScenarioRun.INCOMPLETE);
    List<Map<String, Object>> rows =
        Files.readAllLines(json).stream().map(JsonLines::parse).toList();
    assertThat(String.valueOf(rows.getFirst().get("problem"))).contains("ended early: gone");
    assertThat(rows.getLast()).containsEntry("allocator", "sequential");
    assertThat(out.toString()).contains("netty-4.1.68 is left out: ");
  }

  @Test
  void aFolderStandsForItsTraces() throws IOException {
    Path traces = Files.createDirectory(folder.resolve("traces"));
    for (String name : List.of("b.trace", "a.trace")) {
      String file = traces.resolve(name).toString();
      assertThat(lab("generate", "mixed", "--scale", "0.02", "-o", file)).isZero();
    }
    Files.writeString(traces.resolve("README.md"), "no trace");
    assertThat(lab("replay", traces.toString(), "--allocators", "none")).isZero();
    assertThat(out.toString()).containsSubsequence("a.trace\n", "b.trace\n");
    assertThat(lab("replay", Files.createDirectory(folder.resolve("empty")).toString()))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("no *.trace or *.trace.gz in the folder");
  }

  @Test
  void generatingNeedsAKnownNameAndAFile() {
    assertThat(lab("generate", "cash", "-o", "x")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("no trace 'cash'; there are cache");
    assertThat(lab("generate", "cache")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(lab("generate", "cache", "-o", "/no-such-folder/x"))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("--output: cannot write the file '/no-such-folder/x'");
  }

  private int lab(String... arguments) {
    return new CommandLine(new LabCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private static long number(Map<String, Object> row, String key) {
    return ((Number) row.get(key)).longValue();
  }
}
