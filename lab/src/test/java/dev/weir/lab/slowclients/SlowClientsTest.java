package dev.weir.lab.slowclients;

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

/**
 * A hundred clients of each kind through the command line, whose bodies are more than the limit.
 */
class SlowClientsTest {
  private static final long LIMIT_BYTES = 40 << 20;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @Test
  void everybodyIsServedWithinTheLimit() throws IOException {
    Path json = folder.resolve("rows.jsonl");
    int exit =
        lab(
            "run",
            "slow-clients",
            "--allocators",
            "weir,netty-adaptive+gate",
            "--directions",
            "both",
            "--json",
            json.toString(),
            "--clients",
            "150",
            "--large",
            "14M",
            "--large-rate",
            "14M",
            "--limit",
            "40M",
            "--warm-up",
            "16");

    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    List<Map<String, Object>> rows =
        Files.readAllLines(json).stream().map(JsonLines::parse).toList();
    assertThat(rows).extracting("allocator").containsExactly("weir", "netty-adaptive+gate");
    assertThat(rows).extracting("failed").containsOnly(0);
    assertThat(rows).extracting("ok").containsExactly(300, 300);
    assertThat(rows).extracting("smallLost").containsOnly(0);
    assertThat(rows).allSatisfy(row -> assertThat(number(row, "smallAnswered")).isPositive());
    Map<String, Object> weir = rows.getFirst();
    assertThat(number(weir, "liveBytes")).isZero();
    assertThat(number(weir, "peakResidentBytes")).isBetween(14L << 20, LIMIT_BYTES);
    assertThat(number(weir, "peakRssBytes")).isBetween(1L, LIMIT_BYTES);
    assertThat(out.toString()).contains("weir").contains("300/300").doesNotContain("goal");
  }

  @Test
  void theMixIsAlwaysTheSame() {
    SlowClient large = new SlowClient(100_000_000, 10_000_000);
    List<SlowClient> mix = SlowClient.mix(1000, large);
    assertThat(mix).isEqualTo(SlowClient.mix(1000, large)).hasSize(1000);
    assertThat(mix).filteredOn(large::equals).hasSize(10);
    assertThat(mix).filteredOn(client -> client.bytes() == 1_000_000).hasSize(90);
    assertThat(mix)
        .filteredOn(client -> client.bytesPerSecond() == 100_000)
        .hasSize(900)
        .allSatisfy(client -> assertThat(client.bytes()).isBetween(1_000L, 10_000L));
  }

  @Test
  void whatReservationDictates() {
    SlowClientsPlan plan =
        new SlowClientsPlan(Direction.BOTH, 1000, 100_000_000, 10_000_000, 20, 256 << 20, 1);
    assertThat(plan.leastSeconds()).isEqualTo(50);
    assertThat(SlowClientsPlan.of(JsonLines.parse(JsonLines.line(plan.toMap())))).isEqualTo(plan);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--allocators | --allocators | mimalloc",
        "--directions | --directions | sideways",
        "--clients | --clients | 0",
        "--large | --large | 250M",
        "--large-rate | --large-rate | 1",
        "--limit | --limit | 1M",
        "--warm-up | --warm-up | -1",
        "--json | --json | /no-such-folder/rows.jsonl",
      })
  void aBadFlagIsNamed(String named, String flag, String value) {
    assertThat(lab("run", "slow-clients", flag, value)).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow()).contains(named);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aLargeBodyIsOneThatABufferHasRoomFor() {
    assertThat(lab("run", "slow-clients", "--limit", "8G", "--large", "3G"))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow()).contains("--large", "1G");
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
