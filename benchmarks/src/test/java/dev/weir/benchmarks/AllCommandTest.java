package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.report.Goals;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AllCommandTest {
  private static final List<LeakDetection> BOTH = List.of(LeakDetection.values());
  private static final List<Peer> MALLOC = List.of(Peer.GLIBC, Peer.MIMALLOC, Peer.JEMALLOC);

  /** What a JVM takes beside its iterations: measured, 1.2 s on two cores. */
  private static final Duration AROUND_ITERATIONS = Duration.ofMillis(1_200);

  @Test
  void everySuiteWithAGoalIsInAllButCompression() {
    Set<String> names = new TreeSet<>();
    cells().forEach(cell -> names.add(cell.suite()));
    assertThat(names)
        .containsExactly(
            "alloc",
            "charged",
            "crossthread",
            "grow",
            "heap",
            "hello",
            "loops",
            "scale",
            "virtual");
  }

  @Test
  void mallocIsBesideAllocAndSmallBuffersOfAnotherThreadInAQuickRun() {
    assertThat(
            AllCommand.suites(BOTH).stream()
                .filter(suite -> suite.quickPeers().containsAll(MALLOC))
                .flatMap(suite -> suite.cells().stream())
                .filter(cell -> !cell.suite().equals("alloc"))
                .map(AllCommandTest::text))
        .containsExactly(
            "crossthread 256 1024 no, event-loop, disabled",
            "crossthread 256 1024 no, event-loop, simple");
    assertThat(AllCommand.suites(BOTH))
        .filteredOn(suite -> suite.cells().getFirst().suite().equals("alloc"))
        .allMatch(suite -> suite.quickPeers().containsAll(MALLOC));
  }

  @Test
  void whatTheGoalsNameIsMeasuredOnEveryKindOfThread() {
    for (ThreadKind kind : ThreadKind.values()) {
      for (LeakDetection level : LeakDetection.values()) {
        assertThat(
                cells()
                    .filter(cell -> Set.of("alloc", "virtual").contains(cell.suite()))
                    .filter(cell -> cell.thread() == kind && cell.leakDetection() == level)
                    .filter(cell -> cell.parameter("pattern").equals("allocate-release"))
                    .filter(Goals::judge)
                    .map(cell -> cell.parameter("sizes")))
            .as("%s, %s", kind, level)
            .containsExactly("64", "256", "4K", "64K");
      }
    }
  }

  @Test
  void whatHasNoGoalIsMeasuredAtOneLevel() {
    assertThat(cells().filter(cell -> !Goals.judge(cell)).map(AllCommandTest::text))
        .containsExactly(
            "alloc allocate-release 128K 1 no 16, event-loop, disabled",
            "alloc allocate-release 1M 1 no 16, event-loop, disabled",
            "alloc allocate-release 4M 1 no 16, event-loop, disabled",
            "alloc allocate-release 8M 1 no 16, event-loop, disabled",
            "alloc allocate-release 32M 1 no 16, event-loop, disabled",
            "alloc random api-gateway 1024 no 16, event-loop, disabled",
            "alloc random websocket-proxy 1024 no 16, event-loop, disabled",
            "alloc random 1..4K 128 no 16, event-loop, disabled",
            "alloc random 1..4K 8192 no 16, event-loop, disabled",
            "alloc ring 4K 1024 yes 16, event-loop, disabled",
            "alloc random 1..4K 1024 yes 16, event-loop, disabled",
            "alloc random 64K..4M 1024 yes 16, event-loop, disabled",
            "crossthread 4K 1024 yes, event-loop, disabled",
            "scale random 1..4K 1024 no, 2 event-loop, disabled",
            "scale random 1..4K 1024 no, 4 event-loop, disabled",
            "scale random 1..4K 1024 no, 16 event-loop, disabled",
            "scale allocate-release 256 1 no, 16 event-loop, disabled");
    assertThat(
            AllCommand.suites(List.of(LeakDetection.SIMPLE)).stream()
                .flatMap(suite -> suite.cells().stream())
                .filter(cell -> !Goals.judge(cell)))
        .hasSize(17)
        .allMatch(cell -> cell.leakDetection() == LeakDetection.SIMPLE);
  }

  @Test
  void someRowsAreTouched() {
    assertThat(
            cells().filter(cell -> cell.parameter("touch").equals("yes")).map(AllCommandTest::text))
        .containsExactly(
            "alloc ring 4K 1024 yes 16, event-loop, disabled",
            "alloc random 1..4K 1024 yes 16, event-loop, disabled",
            "alloc random 64K..4M 1024 yes 16, event-loop, disabled",
            "crossthread 4K 1024 yes, event-loop, disabled");
  }

  /** Fewer JVMs than this take less than 50 minutes, the large rows and the servers included. */
  @Test
  void aQuickRunEndsWithinItsTime() {
    long jvms = 0;
    Duration total = Duration.ZERO;
    for (Suite suite : AllCommand.suites(BOTH)) {
      Effort effort = suite.effort().apply(Effort.BRIEF);
      Duration jvm =
          effort
              .iteration()
              .multipliedBy(effort.warmups() + effort.measurements())
              .plus(AROUND_ITERATIONS);
      for (Cell cell : suite.cells()) {
        long ofCell = (long) effort.rounds() * cell.admitted(SuiteOptions.quickPeers(suite)).size();
        jvms += ofCell;
        total = total.plus(jvm.multipliedBy(ofCell));
      }
    }
    assertThat(total).as("%d JVMs", jvms).isLessThan(Duration.ofMinutes(46));
  }

  private static Stream<Cell> cells() {
    return AllCommand.suites(BOTH).stream().flatMap(suite -> suite.cells().stream());
  }

  private static String text(Cell cell) {
    return "%s %s, %s, %s"
        .formatted(
            cell.suite(),
            String.join(" ", cell.parameters().values()),
            cell.threadsText(),
            cell.leakDetection().label());
  }
}
