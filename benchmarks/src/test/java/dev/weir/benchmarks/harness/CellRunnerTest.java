package dev.weir.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;

class CellRunnerTest {
  private final CellRunner runner =
      new CellRunner(Effort.QUICK, JitState.SERVICE, List.of(), () -> {});

  @Test
  void ofSeveralThreadsAllOperationsCount() {
    Cell shared = cell(ThreadKind.PLAIN, 2);
    assertThat(runner.options(shared, Peer.WEIR, Path.of("figures")).build().getBenchModes())
        .containsExactly(Mode.Throughput);
    // One thread does an operation every 20 ns, the other one in the whole iteration.
    assertThat(CellRunner.nsPerOp(shared, 1 / 20.0 + 1 / 250e6))
        .isCloseTo(shared.cores() * 20.0, Percentage.withPercentage(1));
  }

  @Test
  void ofOneThreadTheTimeIsThatOfAnOperation() {
    Cell alone = cell(ThreadKind.EVENT_LOOP, 1);
    assertThat(runner.options(alone, Peer.WEIR, Path.of("figures")).build().getBenchModes())
        .isEmpty();
    assertThat(CellRunner.nsPerOp(alone, 17)).isEqualTo(17);
  }

  private static Cell cell(ThreadKind thread, int threads) {
    return new Cell("scale", "a.B.c", Map.of(), thread, threads, LeakDetection.DISABLED);
  }
}
