package dev.weir.lab.httpburst;

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

/** A small burst through the command line: five bodies' worth of room for eight clients. */
class HttpBurstTest {
  private static final long LIMIT_BYTES = 32 << 20;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @Test
  void everyUploadGetsThroughWithinTheLimit() throws IOException {
    Path json = folder.resolve("rows.jsonl");
    int exit =
        lab(
            "run",
            "http-burst",
            "--allocators",
            "weir,netty-pooled+gate",
            "--json",
            json.toString(),
            "--uploads",
            "16",
            "--at-once",
            "8",
            "--bytes",
            "5000000",
            "--rate",
            "50M",
            "--limit",
            "32M");

    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    List<Map<String, Object>> rows =
        Files.readAllLines(json).stream().map(JsonLines::parse).toList();
    assertThat(rows).extracting("allocator").containsExactly("weir", "netty-pooled+gate");
    assertThat(rows).extracting("scenario").containsOnly("http-burst");
    assertThat(rows).extracting("requests", "ok", "failed").containsOnly(tuple(16, 16, 0));
    assertThat(rows).extracting("liveBytes").containsOnly(0);
    assertThat(rows)
        .allSatisfy(row ->
            assertThat(number(row, "idleProcessGrowthBytes"))
                .isBetween(1L, number(row, "peakProcessGrowthBytes") + (8L << 20)));

    Map<String, Object> weir = rows.getFirst();
    assertThat(number(weir, "peakResidentBytes")).isBetween(5_000_000L, LIMIT_BYTES);
    assertThat(number(weir, "peakRssBytes")).isBetween(1L, LIMIT_BYTES);
    assertThat(number(weir, "peakExcessBytes")).isLessThanOrEqualTo(1 << 20);
    assertThat(number(weir, "idleResidentBytes")).isLessThanOrEqualTo(8 << 20);
    assertThat(weir).containsKey("seconds");
    assertThat(out.toString()).contains("weir").contains("16/16");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--allocators | --allocators | mimalloc",
        "--uploads | --uploads | 0",
        "--at-once | --at-once | many",
        "--bytes | --bytes | 2G",
        "--rate | --rate | 1",
        "--limit | --limit | 1M",
        "--gate | --gate | 1M",
        "--json | --json | /no-such-folder/rows.jsonl",
      })
  void aBadFlagIsNamed(String named, String flag, String value) {
    assertThat(lab("run", "http-burst", flag, value)).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow()).contains(named);
    assertThat(out.toString()).isEmpty();
  }

  private int lab(String... arguments) {
    return new CommandLine(new LabCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private static org.assertj.core.groups.Tuple tuple(Object... values) {
    return org.assertj.core.groups.Tuple.tuple(values);
  }

  private static long number(Map<String, Object> row, String key) {
    return ((Number) row.get(key)).longValue();
  }
}
