package dev.weir.benchmarks.written;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.harness.Tiny;
import dev.weir.benchmarks.peer.Buffers;
import dev.weir.benchmarks.peer.Peer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WrittenSuiteTest {
  private static final int LIVE = 100;

  @Test
  void everyPeerTellsItsTimeAndItsMemory() throws Exception {
    List<Peer> peers = List.of(Peer.WEIR_DENSE, Peer.NETTY_ADAPTIVE, Peer.GLIBC);
    Cell cell = WrittenSuite.cells(List.of(Workload.SMALL)).getFirst();
    Measurement measurement = Tiny.measure(cell, peers);
    for (Peer peer : peers) {
      double nanos = measurement.score(peer, Metric.NS_PER_OP).orElseThrow().median();
      assertThat(nanos).isPositive();
      assertThat(measurement.score(peer, Metric.P999_NS).orElseThrow().median())
          .isGreaterThan(nanos);
      // The Java heap of 128 MiB is resident, and so are the buffers.
      assertThat(measurement.score(peer, Metric.PEAK_RSS_BYTES).orElseThrow().median())
          .isGreaterThan(128 << 20);
      assertThat(measurement.score(peer, Metric.IDLE_RSS_BYTES)).isPresent();
      assertThat(measurement.score(peer, Metric.FAULTS_PER_THOUSAND)).isPresent();
      assertThat(measurement.score(peer, Metric.IDLE_EXCESS_BYTES).isPresent())
          .isEqualTo(peer.family() == Peer.Family.WEIR);
    }
  }

  @Test
  void aProgramThatFailsIsQuoted() {
    Cell cell =
        new Cell(
            "written",
            WrittenChild.class.getName() + ".main",
            Map.of(Workload.WORKLOAD, "tiny"),
            ThreadKind.EVENT_LOOP,
            1,
            LeakDetection.DISABLED);
    assertThatThrownBy(() -> Tiny.measure(cell, List.of(Peer.WEIR)))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("weir in written", "no workload 'tiny'");
  }

  @Test
  void aTenthIsKeptAndEveryOtherBufferIsReleased() {
    Buffers<?> peer = Peer.WEIR.buffers(64 << 20);
    WrittenBuffers buffers = new WrittenBuffers(peer, "64K", LIVE);
    buffers.fill();
    buffers.replace(3 * LIVE);
    assertThat(liveBytes(peer)).isEqualTo(LIVE * (64L << 10));
    buffers.keepATenth();
    assertThat(liveBytes(peer)).isEqualTo(LIVE / 10 * (64L << 10));
  }

  @Test
  void whatIsWrittenIsReadBack() {
    WrittenBuffers buffers = new WrittenBuffers(Peer.WEIR.buffers(64 << 20), "4K", LIVE);
    buffers.fill();
    int linesOfABuffer = (4 << 10) / 64;
    assertThat(buffers.sum()).isEqualTo(linesOfABuffer * LIVE * (LIVE - 1) / 2);
  }

  private static long liveBytes(Buffers<?> peer) {
    return peer.pool().orElseThrow().liveBlockBytes();
  }
}
