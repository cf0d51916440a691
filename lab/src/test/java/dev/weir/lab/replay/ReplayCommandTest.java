package dev.weir.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.LabCommand;
import dev.weir.lab.report.JsonLines;
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
