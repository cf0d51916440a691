package dev.weir.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.harness.ThreadKind;
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
  private static final Cell CELL =
      new Cell(
          "alloc",
          "ring-1024",
          256,
          ThreadKind.EVENT_LOOP,
          LeakDetection.SIMPLE,
          "a.B.c",
          Map.of());

  @TempDir Path folder;

  @Test
  void theTableGivesTheRatioToTheFasterOfNettysTwo() {
    String table =
        MeasurementTable.render(List.of(measurement()), List.of(Peer.values()), Ansi.OFF);
    assertThat(table)
        .isEqualTo(
            """
            ns/op       bytes      threads   leak detection         weir   netty-pooled   netty-adaptive   times faster
            ring-1024     256   event-loop           simple   10.0 ± 1.0     50.0 ± 0.0       40.0 ± 0.0           4.00
            """);
  }

  @Test
  void withoutAPeerThereIsNoRatio() {
    Measurement alone = new Measurement(CELL, Map.of(Peer.WEIR, Score.of(List.of(10.0))));
    assertThat(MeasurementTable.timesFaster(alone)).isEmpty();
  }

  @Test
  void theFileHasALineForEachPeer() throws IOException {
    Path file = folder.resolve("rows.jsonl");
    MeasurementRows.write(file, List.of(measurement()));
    assertThat(Files.readAllLines(file))
        .hasSize(3)
        .first()
        .isEqualTo(
            "{\"suite\":\"alloc\",\"pattern\":\"ring-1024\",\"bytes\":256,\"thread\":\"event-loop\","
                + "\"leakDetection\":\"simple\",\"allocator\":\"weir\",\"nsPerOp\":10.0,\"error\":1.0,"
                + "\"minNs\":9.0,\"maxNs\":11.0,\"rounds\":3}");
  }

  private static Measurement measurement() {
    Map<Peer, Score> scores = new LinkedHashMap<>();
    scores.put(Peer.WEIR, Score.of(List.of(9.0, 10.0, 11.0)));
    scores.put(Peer.NETTY_POOLED, Score.of(List.of(50.0)));
    scores.put(Peer.NETTY_ADAPTIVE, Score.of(List.of(40.0)));
    return new Measurement(CELL, scores);
  }
}
