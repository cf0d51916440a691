package dev.weir.benchmarks.hello;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.Peer;
import java.util.List;
import java.util.Map;

/** What the hello suite measures. */
public final class HelloSuite {
  private static final String BENCHMARK = HelloBenchmark.class.getName() + ".greet";
  private static final int CONNECTIONS = 2;

  /** Without the namesakes that differ on other threads only: the server's are event loops. */
  private static final List<Peer> PEERS =
      List.of(Peer.WEIR, Peer.NETTY_POOLED, Peer.NETTY_ADAPTIVE);

  private HelloSuite() {}

  /** Requests one at a time and sixteen at a time, with the detector as services have it. */
  public static Suite suite() {
    List<Cell> cells =
        List.of("1", "16").stream()
            .map(pipelined ->
                new Cell(
                    "hello",
                    BENCHMARK,
                    Map.of("pipelined", pipelined),
                    ThreadKind.PLAIN,
                    CONNECTIONS,
                    LeakDetection.SIMPLE))
            .toList();
    return new Suite(cells, List.of(Metric.NS_PER_OP)).with(Effort::longer).quicklyAmong(PEERS);
  }
}
