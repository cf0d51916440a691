package dev.weir.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.compression.CompressionSuite;
import dev.weir.benchmarks.crossthread.CrossThreadSuite;
import dev.weir.benchmarks.grow.GrowSuite;
import dev.weir.benchmarks.hello.HelloSuite;
import dev.weir.benchmarks.hello.LoopsSuite;
import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.virtual.VirtualSuite;
import dev.weir.benchmarks.written.Workload;
import dev.weir.benchmarks.written.WrittenSuite;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SuitesTest {
  private static final List<LeakDetection> SIMPLE = List.of(LeakDetection.SIMPLE);
  private static final List<Boolean> UNTOUCHED = List.of(false);
  private static final Row ROW = new Row(AllocPattern.RING, "1..4K", 4);

  static Stream<Cell> everySuite() {
    return Stream.of(
            CrossThreadSuite.cells(
                List.of("256"), List.of(16), List.of(ThreadKind.EVENT_LOOP), SIMPLE, List.of(true)),
            GrowSuite.cells(List.of(1), SIMPLE),
            VirtualSuite.cells(List.of(ROW), SIMPLE, UNTOUCHED),
            AllocSuite.cells(
                "scale",
                List.of(ROW),
                List.of(ThreadKind.EVENT_LOOP),
                List.of(3),
                SIMPLE,
                UNTOUCHED),
            AllocSuite.cells(
                List.of(ROW), List.of(ThreadKind.EVENT_LOOP), SIMPLE, UNTOUCHED, /* loops= */ 3),
            WrittenSuite.suite(List.of(Workload.SMALL)).cells(),
            WrittenSuite.suite(List.of(Workload.BURSTS)).cells(),
            LoopsSuite.suite().cells(),
            HelloSuite.suite().cells(),
            CompressionSuite.suites(List.of(20_000)).getFirst().cells(),
            CompressionSuite.suites(List.of(20_000)).getLast().cells())
        .map(List::getFirst);
  }

  @ParameterizedTest
  @MethodSource("everySuite")
  void runs(Cell cell) throws Exception {
    Measurement measurement = Tiny.measure(cell, List.of(Peer.WEIR));
    assertThat(measurement.score(Peer.WEIR, Metric.NS_PER_OP).orElseThrow().median()).isPositive();
    Map<String, Metric> alsoMeasured =
        Map.of(
            "grow", Metric.POOL_RSS_BYTES,
            "written", Metric.PEAK_RSS_BYTES,
            "loops", Metric.RSS_BYTES_PER_LOOP,
            "compression", Metric.COMPRESSED_BYTES,
            "compression-turns", Metric.PERCENT_OF_LIBRARY);
    if (alsoMeasured.containsKey(cell.suite())) {
      assertThat(measurement.score(Peer.WEIR, alsoMeasured.get(cell.suite()))).isPresent();
    }
  }
}
