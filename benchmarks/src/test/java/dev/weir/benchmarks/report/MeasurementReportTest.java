package dev.weir.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Conditions;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Help.Ansi;

class MeasurementReportTest {
  private static final Conditions CONDITIONS = new Conditions(JitState.SERVICE, Effort.QUICK);

  @TempDir Path folder;

  @Test
  void tablesGiveTheRatiosToTheBestOfEachFamily() {
    String tables =
        MeasurementTable.render(
            List.of(measurement()),
            List.of(Metric.NS_PER_OP, Metric.RSS_BYTES, Metric.GC_NS_PER_OP),
            List.of(Peer.values()),
            Ansi.OFF);
    assertThat(tables.lines().map(line -> line.replaceAll(" {2,}", "|")))
        .containsExactly(
            "ns/op|sizes|threads|leak detection|weir|weir+budget|netty-pooled|netty-adaptive|glibc"
                + "|best Netty / weir|best malloc / weir|budget / weir",
            "ring|1..4K|2 event-loop|disabled|10.0 ± 1.0|12.0|50.0|40.0|9.0|4.00|0.90|1.20",
            "",
            "RSS MiB|sizes|threads|leak detection|weir|netty-pooled|best Netty / weir",
            "ring|1..4K|2 event-loop|disabled|64.0|128.0|2.00");
  }

  @Test
  void theFileHasALineForEachPeer() throws IOException {
    Path file = folder.resolve("rows.jsonl");
    MeasurementRows.write(file, List.of(measurement()));
    assertThat(Files.readAllLines(file))
        .hasSize(5)
        .first()
        .isEqualTo(
            "{\"suite\":\"alloc\",\"pattern\":\"ring\",\"sizes\":\"1..4K\",\"thread\":\"event-loop\","
                + "\"threads\":2,\"leakDetection\":\"disabled\",\"jit\":\"service\",\"allocator\":\"weir\","
                + "\"nsPerOp\":10.0,\"nsPerOpMin\":9.0,\"nsPerOpMax\":11.0,\"rssBytes\":6.7108864E7,"
                + "\"rssBytesMin\":6.7108864E7,\"rssBytesMax\":6.7108864E7,\"error\":1.0,"
                + "\"timesNetty\":4.0,\"timesMalloc\":0.9,\"timesBudget\":1.2,\"rounds\":3,\"warmups\":7,"
                + "\"iterations\":3,\"iterationMillis\":300}");
  }

  @Test
  void whoIsComparedWithNobodyHasNoRatio() {
    Map<Metric, Score> time = Map.of(Metric.NS_PER_OP, Score.of(List.of(3.0, 5.0)));
    Measurement alone = new Measurement(measurement().cell(), CONDITIONS, Map.of(Peer.WEIR, time));
    assertThat(MeasurementRows.rows(List.of(alone, measurement())))
        .filteredOn(row -> row.containsKey("timesNetty"))
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("allocator", "weir"));
  }

  @Test
  void aRowOfOneSizeHasItInBytes() {
    Cell cell =
        new Cell(
            "alloc",
            "a.B.c",
            Map.of("sizes", "4K"),
            ThreadKind.EVENT_LOOP,
            1,
            LeakDetection.SIMPLE);
    Map<Metric, Score> time = Map.of(Metric.NS_PER_OP, Score.of(List.of(3.0, 5.0)));
    Measurement one = new Measurement(cell, CONDITIONS, Map.of(Peer.WEIR, time));

    assertThat(MeasurementRows.rows(List.of(one)).getFirst())
        .containsEntry("bytes", 4096)
        .containsEntry("error", 1.0);
  }

  @Test
  void whatTakesLessThanATenthKeepsItsDigits() {
    Map<Metric, Score> collector = Map.of(Metric.GC_NS_PER_OP, Score.of(List.of(0.0964)));
    Measurement one =
        new Measurement(measurement().cell(), CONDITIONS, Map.of(Peer.WEIR, collector));
    assertThat(MeasurementRows.rows(List.of(one)).getFirst()).containsEntry("gcNsPerOp", 0.096);
  }

  private static Measurement measurement() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("pattern", "ring");
    parameters.put("sizes", "1..4K");
    Cell cell =
        new Cell("alloc", "a.B.c", parameters, ThreadKind.EVENT_LOOP, 2, LeakDetection.DISABLED);
    Map<Peer, Map<Metric, Score>> scores = new LinkedHashMap<>();
    Map<Metric, Score> weir = new LinkedHashMap<>();
    weir.put(Metric.NS_PER_OP, Score.of(List.of(9.0, 10.0, 11.0)));
    weir.put(Metric.RSS_BYTES, Score.of(List.of(64.0 * (1 << 20))));
    scores.put(Peer.WEIR, weir);
    scores.put(Peer.WEIR_BUDGET, Map.of(Metric.NS_PER_OP, Score.of(List.of(12.0))));
    Map<Metric, Score> pooled = new LinkedHashMap<>();
    pooled.put(Metric.NS_PER_OP, Score.of(List.of(50.0)));
    pooled.put(Metric.RSS_BYTES, Score.of(List.of(128.0 * (1 << 20))));
    scores.put(Peer.NETTY_POOLED, pooled);
    scores.put(Peer.NETTY_ADAPTIVE, Map.of(Metric.NS_PER_OP, Score.of(List.of(40.0))));
    scores.put(Peer.GLIBC, Map.of(Metric.NS_PER_OP, Score.of(List.of(9.0))));
    return new Measurement(cell, CONDITIONS, scores);
  }
}
