package dev.weir.benchmarks.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmarks.streams.load.NettyLoad;
import dev.weir.benchmarks.streams.process.StreamServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Help.Ansi;

/** A short run of every kind of row with a real node. */
@Timeout(240)
class StreamsRunTest {
  private static final StreamsEffort TINY =
      new StreamsEffort(1, Duration.ofMillis(50), Duration.ofMillis(200), 4, 5);

  private static final Map<StreamsRow, List<StreamsMetric>> ROWS =
      Map.of(
          StreamsRow.APPEND_1K_100,
          List.of(StreamsMetric.APPENDS, StreamsMetric.P99, StreamsMetric.WRITTEN),
          StreamsRow.CATCH_UP_4,
          List.of(
              StreamsMetric.READ,
              StreamsMetric.FIRST_READ,
              StreamsMetric.RSS,
              StreamsMetric.RSS_LESS_POOL,
              StreamsMetric.POOL),
          StreamsRow.SSE_100,
          List.of(StreamsMetric.P50, StreamsMetric.P99),
          StreamsRow.LONG_POLL_100,
          List.of(StreamsMetric.P50, StreamsMetric.P99),
          StreamsRow.BESIDE_COPY,
          List.of(
              StreamsMetric.APPENDS,
              StreamsMetric.P99,
              StreamsMetric.P99_SLOW_COPY,
              StreamsMetric.P99_FAST_COPY,
              StreamsMetric.READ),
          StreamsRow.BESIDE_8,
          List.of(StreamsMetric.APPENDS, StreamsMetric.P99, StreamsMetric.READ));

  @TempDir Path folder;

  private static StreamServer node() {
    return StreamServer.weir(
        ServeMain.class.getName(), List.of(), List.of("--budget", "64M", "--console", "off"));
  }

  @Test
  void eachKindOfRowHasItsFigures() throws IOException {
    StreamsRun run =
        new StreamsRun(List.copyOf(ROWS.keySet()), List.of(node()), TINY, new NettyLoad());
    List<Integer> ended = new ArrayList<>();
    run.measure(folder, (what, turns) -> ended.add(turns), () -> true);
    assertThat(ended).containsExactly(0, 1, 2, 3, 4, 5, 6);
    for (StreamsMeasurement measurement : run.finished()) {
      for (StreamsMetric metric : ROWS.get(measurement.row())) {
        assertThat(measurement.score("weir", metric))
            .as("%s %s", measurement.row(), metric)
            .hasValueSatisfying(score -> assertThat(score.median()).isPositive());
      }
    }
    Map<String, String> missing = Map.of("rust", "rust: it is not there");
    String text = StreamsReport.text(run.finished(), List.of("weir"), missing, Ansi.OFF);
    assertThat(text).contains("append-1K-100", "missing", "rust: it is not there", "not measured");
    List<Map<String, Object>> rows =
        StreamsReport.rows(run.finished(), TINY, new NettyLoad().label(), missing);
    assertThat(rows).hasSize(ROWS.size() + 1);
    assertThat(rows.getLast()).containsEntry("missing", "rust: it is not there");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aServerThatDoesNotStartIsNamedWithWhatItSaid() {
    StreamServer broken =
        new StreamServer(
            "broken",
            (data, port) -> List.of("sh", "-c", "echo no room; exit 1"),
            Optional.empty());
    StreamsRun run =
        new StreamsRun(List.of(StreamsRow.APPEND_1K_1), List.of(broken), TINY, new NettyLoad());
    assertThatThrownBy(() -> run.measure(folder, (what, turns) -> {}, () -> true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("broken in append-1K-1")
        .hasMessageContaining("no room");
  }

  @Test
  void aServerThatFailsIsToldAndTheRunGoesOn() throws IOException {
    StreamServer broken =
        new StreamServer("broken", (data, port) -> List.of("false"), Optional.empty());
    List<StreamsRow> rows = List.of(StreamsRow.APPEND_1K_1, StreamsRow.CATCH_UP_1);
    StreamsRun run = new StreamsRun(rows, List.of(broken), TINY, new NettyLoad());
    run.measure(folder, (what, turns) -> {}, () -> false);
    assertThat(run.finished()).hasSize(2).allMatch(row -> row.failures().containsKey("broken"));
    assertThat(StreamsReport.text(run.finished(), List.of("broken"), Map.of(), Ansi.OFF))
        .contains("broken in append-1K-1", "broken in catch-up-1");
    assertThat(StreamsReport.rows(run.finished(), TINY, "", Map.of()))
        .hasSize(2)
        .allSatisfy(row -> assertThat(row).containsKey("failed"));
  }
}
