package dev.weir.benchmarks.written;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.Peer;
import java.time.Duration;
import java.util.List;

/** What the written suite measures. */
public final class WrittenSuite {
  private static final List<Metric> METRICS =
      List.of(
          Metric.NS_PER_OP,
          Metric.P999_NS,
          Metric.PEAK_RSS_BYTES,
          Metric.IDLE_RSS_BYTES,
          Metric.IDLE_EXCESS_BYTES,
          Metric.FAULTS_PER_THOUSAND);

  private static final List<Peer> PEERS =
      List.of(
          Peer.WEIR,
          Peer.WEIR_DENSE,
          Peer.WEIR_SHARE_HALF,
          Peer.WEIR_SHARE_ALL,
          Peer.NETTY_POOLED,
          Peer.NETTY_ADAPTIVE,
          Peer.GLIBC,
          Peer.JEMALLOC,
          Peer.MIMALLOC);

  private static final List<Peer> QUICK_PEERS =
      List.of(Peer.WEIR, Peer.WEIR_DENSE, Peer.NETTY_POOLED, Peer.NETTY_ADAPTIVE, Peer.MIMALLOC);

  /** How long a peer is idle before its memory is looked at for the last time. */
  private static final Duration IDLE = Duration.ofSeconds(3);

  private WrittenSuite() {}

  /** The suite of some workloads, without the leak detector. */
  public static Suite suite(List<Workload> workloads) {
    return new Suite(cells(workloads), METRICS)
        .with(effort -> new Effort(effort.rounds(), 0, 1, IDLE))
        .among(PEERS)
        .quicklyAmong(QUICK_PEERS);
  }

  /** A cell for each workload. */
  public static List<Cell> cells(List<Workload> workloads) {
    return workloads.stream()
        .map(workload ->
            new Cell(
                "written",
                WrittenChild.class.getName() + ".main",
                workload.parameters(),
                ThreadKind.EVENT_LOOP,
                1,
                LeakDetection.DISABLED))
        .toList();
  }
}
