package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.alloc.AllocPattern;
import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.CellRunner;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.Peer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;

class BenchCommandTest {

  @Test
  void theAllocSuiteHasEveryCombination() {
    List<Cell> cells =
        AllocSuite.cells(
            List.of(AllocPattern.values()),
            List.of(256, 4096),
            List.of(ThreadKind.values()),
            List.of(LeakDetection.values()));
    assertThat(cells).hasSize(24).doesNotHaveDuplicates();
    assertThat(cells).extracting(Cell::suite).containsOnly("alloc");
  }

  @ParameterizedTest
  @CsvSource({"ALLOCATE_RELEASE,EVENT_LOOP", "RING,PLAIN", "RANDOM,EVENT_LOOP"})
  void everyPatternRunsForEveryPeerInAJvmOfItsOwn(AllocPattern pattern, ThreadKind thread)
      throws RunnerException {
    System.setProperty("jmh.ignoreLock", "true");
    Effort least = new Effort(1, 0, 1, Duration.ofMillis(20));
    int[] jvms = {0};
    Cell cell =
        AllocSuite.cells(
                List.of(pattern), List.of(4096), List.of(thread), List.of(LeakDetection.SIMPLE))
            .getFirst();
    Measurement measurement =
        new CellRunner(least, () -> jvms[0]++).measure(cell, List.of(Peer.values()));
    assertThat(jvms[0]).isEqualTo(3);
    assertThat(measurement.scores().keySet()).containsExactly(Peer.values());
    assertThat(measurement.scores().values())
        .allSatisfy(score -> assertThat(score.nsPerOp()).isPositive());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--pattern | spiral",
        "--bytes | 0",
        "--bytes | many",
        "--thread | virtual",
        "--leak-detection | loud",
        "--allocators | malloc",
        "--rounds | 0",
        "--json | /no-such-folder/rows.jsonl",
      })
  void aBadFlagIsNamed(String flag, String value) {
    StringWriter err = new StringWriter();
    int exit =
        new CommandLine(new BenchCommand())
            .setErr(new PrintWriter(err, true))
            .execute("alloc", flag, value);
    assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow()).contains(flag);
  }
}
