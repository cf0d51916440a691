package dev.weir.lab.cachefragmentation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.LabCommand;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.trace.TotalsSink;
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

class CacheFragmentationTest {
  private static final CachePlan PLAN = new CachePlan(32 << 20, 32 << 20, 80 << 20, 2, 1, 1);

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @Test
  void weirsCachesStayWithinTheirPlanAndRefuseNothing() throws IOException {
    Path json = folder.resolve("rows.jsonl");

    int exit =
        lab(
            "--quick",
            "--phases",
            "2",
            "--allocators",
            "weir+dense,netty-4.2.18-pooled",
            "--report",
            folder.toString(),
            "--json",
            json.toString());

    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    List<Map<String, Object>> rows =
        Files.readAllLines(json).stream().map(JsonLines::parse).toList();
    assertThat(rows).extracting("allocator").containsExactly("weir+dense", "netty-4.2.18-pooled");
    assertThat(rows).extracting("scenario").containsOnly("cache-fragmentation");
    Map<String, Object> dense = rows.getFirst();
    assertThat(number(dense, "refused")).isZero();
    assertThat(number(dense, "peakRssBytes"))
        .isBetween(number(dense, "plannedBytes") / 2, number(dense, "plannedBytes") * 23 / 20);
    assertThat(rows.get(1)).containsKeys("peakRatio", "meanRatio", "closedRssBytes", "seconds");
    assertThat(rows).extracting("appends").containsOnly(dense.get("appends"));
    assertThat(rows).extracting("boundBytes").containsOnly(dense.get("boundBytes"));
    assertThat(number(dense, "boundBytes")).isLessThan(number(dense, "plannedBytes") * 11 / 10);
    assertThat(folder.resolve("report.html")).content().contains("netty-4.2.18-pooled", "<svg");
    assertThat(out.toString()).contains("peak/planned").contains("weir+dense: refused");
  }

  @Test
  void cachesOfBuffersKeepWithinTheirCapacitiesAndReleaseAll() {
    TotalsSink sums = new TotalsSink();
    ActCaches caches = new ActCaches(sums, PLAN);
    CacheLoad load = new CacheLoad(PLAN, caches);

    load.runPhase(
        RecordSizes.MIXED.ordinal(),
        () -> assertThat(caches.cachedBytes()).isLessThanOrEqualTo(PLAN.plannedBytes()));

    assertThat(load.refusedAppends() + load.refusedReads()).isZero();
    assertThat(caches.cachedBytes()).isGreaterThan(PLAN.plannedBytes() / 2);
    caches.close();
    assertThat(sums.totals().releasedBytes()).isEqualTo(sums.totals().allocatedBytes());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--allocators | --allocators | mimalloc",
        "--log-cache | --log-cache | 1M",
        "--block-cache | --block-cache | 1M",
        "--limit | --limit | 64M",
        "--phases | --phases | 0",
        "--json | --json | /no-such-folder/rows.jsonl",
      })
  void aBadFlagIsNamed(String named, String flag, String value) {
    assertThat(lab(flag, value)).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow()).contains(named);
    assertThat(out.toString()).isEmpty();
  }

  private int lab(String... flags) {
    String[] arguments = new String[flags.length + 2];
    arguments[0] = "run";
    arguments[1] = "cache-fragmentation";
    System.arraycopy(flags, 0, arguments, 2, flags.length);
    return new CommandLine(new LabCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private static long number(Map<String, Object> row, String key) {
    return ((Number) row.get(key)).longValue();
  }
}
