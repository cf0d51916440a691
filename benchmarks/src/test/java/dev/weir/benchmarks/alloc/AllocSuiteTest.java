package dev.weir.benchmarks.alloc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.harness.Tiny;
import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AllocSuiteTest {

  @Test
  void patternsThatKeepNothingAppearOnceForEachSize() {
    List<Row> rows =
        AllocSuite.rows(List.of(AllocPattern.values()), List.of("256", "4K"), List.of(128, 1024));
    assertThat(rows).hasSize(2 + 4 + 4).doesNotHaveDuplicates();
    assertThat(rows).filteredOn(row -> row.live() == 1).hasSize(2);
  }

  @Test
  void cellsAreEveryCombination() {
    List<Cell> cells =
        AllocSuite.cells(
            "alloc",
            AllocSuite.rows(List.of(AllocPattern.RING), List.of("256"), List.of(128, 1024)),
            List.of(ThreadKind.EVENT_LOOP, ThreadKind.PLAIN),
            List.of(1, 4),
            List.of(LeakDetection.values()),
            List.of(true, false));
    assertThat(cells).hasSize(32).doesNotHaveDuplicates();
  }

  @Test
  void everyPeerIsMeasuredInAJvmOfItsOwn() throws Exception {
    Cell cell = cell(AllocPattern.RANDOM, ThreadKind.PLAIN, LeakDetection.DISABLED);
    List<Peer> peers = List.of(Peer.WEIR_BUDGET, Peer.NETTY_POOLED_CACHES, Peer.GLIBC);
    Measurement measurement = Tiny.measure(cell, peers);
    assertThat(measurement.scores().keySet()).containsExactlyElementsOf(peers);
    for (Peer peer : peers) {
      assertThat(measurement.score(peer, Metric.NS_PER_OP).orElseThrow().median()).isPositive();
      assertThat(measurement.score(peer, Metric.HEAP_BYTES_PER_BUFFER)).isPresent();
    }
  }

  @Test
  void heapForABufferIsTheSameWhateverTheCompilerWasShown() throws Exception {
    Cell cell =
        AllocSuite.cells(
                "heap",
                List.of(new Row(AllocPattern.RANDOM, "1..4K", 1024)),
                List.of(ThreadKind.EVENT_LOOP),
                List.of(1),
                List.of(LeakDetection.DISABLED),
                List.of(false))
            .getFirst();
    List<Double> bytes = new ArrayList<>();
    for (JitState jit : JitState.values()) {
      bytes.add(
          Tiny.measure(cell, List.of(Peer.NETTY_POOLED), jit)
              .score(Peer.NETTY_POOLED, Metric.HEAP_BYTES_PER_BUFFER)
              .orElseThrow()
              .median());
    }
    assertThat(bytes.getFirst()).isCloseTo(bytes.getLast(), within(100.0));
  }

  @Test
  void withTheDetectorOnlyTrackedPeersAreMeasured() throws Exception {
    Cell cell = cell(AllocPattern.ALLOCATE_RELEASE, ThreadKind.EVENT_LOOP, LeakDetection.SIMPLE);
    Measurement measurement =
        Tiny.measure(cell, List.of(Peer.WEIR, Peer.NETTY_POOLED_CACHES, Peer.GLIBC));
    assertThat(measurement.scores().keySet()).containsExactly(Peer.WEIR);
  }

  private static Cell cell(AllocPattern pattern, ThreadKind thread, LeakDetection level) {
    return AllocSuite.cells(
            "alloc",
            List.of(new Row(pattern, "1..4K", 16)),
            List.of(thread),
            List.of(1),
            List.of(level),
            List.of(true))
        .getFirst();
  }
}
