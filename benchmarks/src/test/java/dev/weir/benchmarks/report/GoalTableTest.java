package dev.weir.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Conditions;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.lab.report.Outcome;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Help.Ansi;

class GoalTableTest {
  private static final Conditions CONDITIONS = new Conditions(JitState.SERVICE, Effort.QUICK);

  @Test
  void judgesEachGoalAgainstTheBestInTheSameRun() {
    Measurement ring =
        measurement(
            cell("alloc", LeakDetection.SIMPLE, "pattern", "ring", "sizes", "4K", "live", "1024"),
            Metric.NS_PER_OP,
            Map.of(Peer.WEIR, 20.0, Peer.NETTY_POOLED, 52.0, Peer.NETTY_ADAPTIVE, 90.0));
    Measurement charged =
        measurement(
            cell("charged", LeakDetection.DISABLED, "pattern", "random"),
            Metric.NS_PER_OP,
            Map.of(Peer.WEIR, 10.0, Peer.WEIR_BUDGET, 16.0));
    Measurement loops =
        measurement(
            cell("loops", LeakDetection.SIMPLE, "server", "http-hello"),
            Metric.RSS_BYTES_PER_LOOP,
            Map.of(Peer.WEIR, 100.0 * 1024));

    String table = GoalTable.render(List.of(ring, charged, loops), Ansi.OFF);
    assertThat(table.lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "goal threads leak detection weir other ratio wanted",
            "alloc ring 4K 1024 event-loop simple ns/op 20.0 52.0 netty-pooled 2.60 at least 2.5"
                + " reached",
            "charged random event-loop disabled ns/op 10.0 16.0 weir+budget 1.60 at most 1.5"
                + " missed",
            "loops http-hello event-loop simple RSS KiB/loop 100.0 at most 200 RSS KiB/loop"
                + " reached",
            "2 of 3 goals are reached");
  }

  @Test
  void residentMemoryIsJudgedByTheLeastOrByThatOfTheFastest() {
    Goal goal =
        new Goal(Metric.PEAK_RSS_BYTES, Goal.Kind.NO_MORE_THAN_LEAST_OR_FASTEST, /* bound= */ 1.05);
    Map<Peer, Double> adaptiveIsFaster =
        Map.of(Peer.WEIR, 10.0, Peer.NETTY_POOLED, 30.0, Peer.NETTY_ADAPTIVE, 20.0);
    Map<Peer, Double> pooledIsFaster =
        Map.of(Peer.WEIR, 10.0, Peer.NETTY_POOLED, 20.0, Peer.NETTY_ADAPTIVE, 30.0);
    double mib = 1 << 20;
    Map<Peer, Double> adaptiveHasMore =
        Map.of(Peer.WEIR, 120 * mib, Peer.NETTY_POOLED, 100 * mib, Peer.NETTY_ADAPTIVE, 130 * mib);
    assertThat(verdict(goal, adaptiveIsFaster, adaptiveHasMore).outcome())
        .isEqualTo(Outcome.REACHED);
    assertThat(verdict(goal, pooledIsFaster, adaptiveHasMore).outcome()).isEqualTo(Outcome.MISSED);
    Map<Peer, Double> alike =
        Map.of(Peer.WEIR, 104 * mib, Peer.NETTY_POOLED, 100 * mib, Peer.NETTY_ADAPTIVE, 101 * mib);
    assertThat(verdict(goal, pooledIsFaster, alike).outcome()).isEqualTo(Outcome.REACHED);
    assertThat(verdict(goal, pooledIsFaster, alike).other()).isEqualTo("100.0 netty-pooled");
  }

  private static Goal.Verdict verdict(Goal goal, Map<Peer, Double> nanos, Map<Peer, Double> bytes) {
    Cell cell = cell("written", LeakDetection.DISABLED, "workload", "small");
    Map<Peer, Map<Metric, Score>> scores = new EnumMap<>(Peer.class);
    nanos.forEach((peer, value) ->
        scores.put(
            peer,
            Map.of(
                Metric.NS_PER_OP, Score.of(List.of(value)),
                Metric.PEAK_RSS_BYTES, Score.of(List.of(bytes.getOrDefault(peer, 0.0))))));
    Measurement measurement = new Measurement(cell, CONDITIONS, scores);
    return goal.judge(measurement, List.of(measurement)).orElseThrow();
  }

  @Test
  void writtenBuffersAreJudgedBesideMimallocToo() {
    Measurement small =
        measurement(
            cell("written", LeakDetection.DISABLED, "workload", "small"),
            Metric.NS_PER_OP,
            Map.of(Peer.WEIR, 110.0, Peer.NETTY_POOLED, 120.0, Peer.MIMALLOC, 99.0));
    assertThat(
            GoalTable.render(List.of(small), Ansi.OFF)
                .lines()
                .map(line -> line.replaceAll(" +", " ")))
        .contains(
            "written small event-loop disabled ns/op 110.0 99.0 mimalloc 0.90 at least 0.91"
                + " missed");
  }

  /** What is to be reached was said of allocating and releasing alone. */
  @ParameterizedTest
  @ValueSource(strings = {"alloc", "virtual", "crossthread", "scale"})
  void touchedRowsHaveNoGoal(String suite) {
    Map<String, String> row = Map.of("pattern", "allocate-release", "sizes", "4K", "live", "1024");
    assertThat(Goals.judge(touched(suite, row, "no"))).isEqualTo(!suite.equals("scale"));
    assertThat(Goals.of(touched(suite, row, "yes"))).containsExactly(Goal.shown(Metric.NS_PER_OP));
  }

  private static Cell touched(String suite, Map<String, String> row, String touch) {
    Map<String, String> parameters = new LinkedHashMap<>(row);
    parameters.put("touch", touch);
    return new Cell(suite, "x", parameters, ThreadKind.EVENT_LOOP, 1, LeakDetection.DISABLED);
  }

  @Test
  void theBestMallocIsShownAndJudgesNothing() {
    Measurement ring =
        measurement(
            cell("alloc", LeakDetection.DISABLED, "pattern", "ring", "sizes", "4K", "live", "1024"),
            Metric.NS_PER_OP,
            Map.of(Peer.WEIR, 10.0, Peer.NETTY_POOLED, 52.0, Peer.GLIBC, 9.0, Peer.JEMALLOC, 8.0));
    Measurement virtual =
        measurement(
            cell("virtual", LeakDetection.SIMPLE, "pattern", "allocate-release"),
            Metric.NS_PER_OP,
            Map.of(Peer.WEIR, 10.0, Peer.NETTY_POOLED, 19.0));

    assertThat(
            GoalTable.render(List.of(ring, virtual), Ansi.OFF)
                .lines()
                .map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "goal threads leak detection weir other ratio best malloc / weir wanted",
            "alloc ring 4K 1024 event-loop disabled ns/op 10.0 52.0 netty-pooled 5.20"
                + " 0.80 jemalloc at least 4 reached",
            "virtual allocate-release event-loop simple ns/op 10.0 19.0 netty-pooled 1.90"
                + " at least 2 missed",
            "1 of 2 goals are reached");
  }

  @Test
  void whatHasNoGoalIsShownBesideWhatHas() {
    Map<Peer, Double> slow = Map.of(Peer.WEIR, 10.0, Peer.NETTY_POOLED, 2.0, Peer.GLIBC, 1.0);
    Measurement runs =
        measurement(
            cell(
                "alloc",
                LeakDetection.DISABLED,
                "pattern",
                "allocate-release",
                "sizes",
                "32M",
                "live",
                "1"),
            Metric.NS_PER_OP,
            slow);
    Measurement scale =
        measurement(
            cell("scale", LeakDetection.DISABLED, "pattern", "random"), Metric.NS_PER_OP, slow);
    Measurement hello =
        measurement(
            cell("hello", LeakDetection.SIMPLE, "pipelined", "1"),
            Metric.NS_PER_OP,
            Map.of(Peer.WEIR, 10.0, Peer.NETTY_POOLED, 10.0));

    assertThat(GoalTable.render(List.of(runs, scale), Ansi.OFF)).isEmpty();
    assertThat(
            GoalTable.render(List.of(runs, scale, hello), Ansi.OFF)
                .lines()
                .skip(1)
                .map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "alloc allocate-release 32M 1 event-loop disabled ns/op 10.0 2.0 netty-pooled 0.20"
                + " 0.10 glibc no goal",
            "scale random event-loop disabled ns/op 10.0 2.0 netty-pooled 0.20 0.10 glibc no goal",
            "hello 1 event-loop simple ns/op 10.0 10.0 netty-pooled 1.00 at least 0.98 reached",
            "1 of 1 goals are reached");
  }

  @Test
  void aResponseIsJudgedWithAndWithoutItsPipelineAndBesideTheBareLibrary() {
    List<Measurement> run =
        List.of(
            response("bare-jni", Map.of(Peer.WEIR, 30.0), Map.of(), 65_536),
            response(
                "uncompressed-beside-bare",
                Map.of(Peer.WEIR, 1.0),
                Map.of(Peer.WEIR, 10.0, Peer.NETTY_POOLED, 12.0, Peer.NETTY_ADAPTIVE, 20.0),
                65_536),
            response(
                "response-jni",
                Map.of(Peer.WEIR, 32.0),
                Map.of(Peer.WEIR, 14.0, Peer.NETTY_POOLED, 36.0, Peer.NETTY_ADAPTIVE, 42.0),
                65_536),
            response(
                "response-jni", Map.of(Peer.WEIR, 32.0), Map.of(Peer.WEIR, 14.0), /* writes= */ 1),
            inTurns("encoder-jni", 120),
            inTurns("response-jni", 105.2),
            inTurns("response-system", 105.4));

    assertThat(GoalTable.render(run, Ansi.OFF).lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "goal threads leak detection weir other ratio wanted",
            "compression response-jni 65536 event-loop disabled GC ns/op 14.0 36.0 netty-pooled"
                + " 2.57 at least 5 missed",
            "compression response-jni 65536 event-loop disabled GC ns/op less"
                + " uncompressed-beside-bare 4.0 22.0 netty-adaptive 5.50 at least 5 reached",
            "compression-turns response-jni event-loop disabled % of the library's time 105.2"
                + " at most 105.26 % of the library's time reached",
            "compression-turns response-system event-loop disabled % of the library's time 105.4"
                + " at most 105.26 % of the library's time missed",
            "2 of 4 goals are reached");
  }

  /** Of as little as two nearly equal figures differ by, less than nothing may seem to remain. */
  @Test
  void whatIsLessThanNothingWithoutThePipelineIsNothing() {
    List<Measurement> run =
        List.of(
            response(
                "uncompressed-beside-bare",
                Map.of(),
                Map.of(Peer.WEIR, 10.0, Peer.NETTY_POOLED, 10.0),
                /* writes= */ 1),
            response(
                "response-jni",
                Map.of(),
                Map.of(Peer.WEIR, 9.0, Peer.NETTY_POOLED, 8.0),
                /* writes= */ 1));
    assertThat(GoalTable.render(run, Ansi.OFF))
        .contains(" 0.000 ")
        .contains("0 of 2 goals are reached, 1 are within the noise");
  }

  @Test
  void whatOnlySomeRoundsReachIsWithinTheNoise() {
    Cell charged = cell("charged", LeakDetection.DISABLED, "pattern", "random");
    String table =
        GoalTable.render(
            List.of(
                rounds(charged, Score.of(List.of(10.9, 11.5)), Score.of(List.of(16.0, 17.4))),
                rounds(charged, Score.of(List.of(10.9, 11.5)), Score.of(List.of(16.0, 16.3))),
                rounds(charged, Score.of(List.of(10.9, 11.5)), Score.of(List.of(17.3, 17.4)))),
            Ansi.OFF);
    assertThat(table.lines().skip(1).map(line -> line.replaceAll(".*at most 1.5 +", "")))
        .containsExactly(
            "within the noise",
            "reached",
            "missed",
            "1 of 3 goals are reached, 1 are within the noise");
  }

  private static Measurement rounds(Cell cell, Score weir, Score budget) {
    return new Measurement(
        cell,
        CONDITIONS,
        Map.of(
            Peer.WEIR, Map.of(Metric.NS_PER_OP, weir),
            Peer.WEIR_BUDGET, Map.of(Metric.NS_PER_OP, budget)));
  }

  @Test
  void nothingIsSaidWithoutAPeerOrAGoal() {
    Cell goal = cell("crossthread", LeakDetection.DISABLED, "sizes", "256");
    Cell none = cell("scale", LeakDetection.DISABLED, "pattern", "random");
    Map<Peer, Double> alone = Map.of(Peer.WEIR, 10.0);
    assertThat(
            GoalTable.render(
                List.of(
                    measurement(goal, Metric.NS_PER_OP, alone),
                    measurement(none, Metric.NS_PER_OP, alone)),
                Ansi.OFF))
        .isEmpty();
  }

  @Test
  void aCollectorThatNeverCameIsNoWorseThanNettys() {
    Measurement heap =
        measurement(
            cell("heap", LeakDetection.DISABLED, "live", "1024"),
            Metric.GC_NS_PER_OP,
            Map.of(Peer.WEIR, 0.0, Peer.NETTY_POOLED, 0.0));
    assertThat(GoalTable.render(List.of(heap), Ansi.OFF)).contains("1 of 1");
  }

  private static Measurement inTurns(String way, double percent) {
    return measurement(
        cell("compression-turns", LeakDetection.DISABLED, "way", way),
        Metric.PERCENT_OF_LIBRARY,
        Map.of(Peer.WEIR, percent));
  }

  private static Measurement response(
      String way, Map<Peer, Double> nanos, Map<Peer, Double> collectorNanos, int writes) {
    Map<Peer, Map<Metric, Score>> scores = new EnumMap<>(Peer.class);
    nanos.forEach((peer, median) -> add(scores, peer, Metric.NS_PER_OP, median));
    collectorNanos.forEach((peer, median) -> add(scores, peer, Metric.GC_NS_PER_OP, median));
    Cell cell =
        cell(
            "compression",
            LeakDetection.DISABLED,
            "way",
            way,
            "writeBytes",
            Integer.toString(writes));
    return new Measurement(cell, CONDITIONS, scores);
  }

  private static void add(
      Map<Peer, Map<Metric, Score>> scores, Peer peer, Metric metric, double median) {
    scores
        .computeIfAbsent(peer, first -> new EnumMap<>(Metric.class))
        .put(metric, Score.of(List.of(median)));
  }

  private static Cell cell(String suite, LeakDetection level, String... parameters) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < parameters.length; i += 2) {
      map.put(parameters[i], parameters[i + 1]);
    }
    return new Cell(suite, "a.B.c", map, ThreadKind.EVENT_LOOP, 1, level);
  }

  private static Measurement measurement(Cell cell, Metric metric, Map<Peer, Double> medians) {
    Map<Peer, Map<Metric, Score>> scores = new EnumMap<>(Peer.class);
    medians.forEach((peer, median) -> scores.put(peer, Map.of(metric, Score.of(List.of(median)))));
    return new Measurement(cell, CONDITIONS, scores);
  }
}
