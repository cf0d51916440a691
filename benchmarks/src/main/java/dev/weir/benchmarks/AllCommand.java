package dev.weir.benchmarks;

import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.crossthread.CrossThreadSuite;
import dev.weir.benchmarks.grow.GrowSuite;
import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.hello.HelloSuite;
import dev.weir.benchmarks.hello.LoopsSuite;
import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.report.Goals;
import dev.weir.benchmarks.virtual.VirtualSuite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench all}. */
@Command(
    name = "all",
    description =
        "What matters of most suites in one run, and a table of which goals are reached. Left out"
            + " are compression, heap-buffers, view, written, streams and replicate. With --quick"
            + " about three quarters of an hour, without it hours.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir bench all --quick --json all.jsonl",
      "  weir bench all --quick --leak-detection disabled --allocators weir,netty-pooled,mimalloc"
    })
final class AllCommand implements Callable<Integer> {
  private static final List<ThreadKind> EVENT_LOOP = List.of(ThreadKind.EVENT_LOOP);
  private static final List<Boolean> UNTOUCHED = List.of(false);
  private static final List<Boolean> TOUCHED = List.of(true);
  private static final List<Integer> QUEUE = List.of(1024);

  /** Of rows on threads that are no event loops: Netty's two, and the one that caches help. */
  private static final List<Peer> OFF_LOOP_PEERS =
      List.of(Peer.WEIR, Peer.NETTY_POOLED, Peer.NETTY_ADAPTIVE, Peer.NETTY_POOLED_CACHES);

  /** These and malloc, a cell admitting those that it is for. */
  private static final List<Peer> PEERS_AND_MALLOC =
      Stream.concat(OFF_LOOP_PEERS.stream(), Stream.of(Peer.GLIBC, Peer.MIMALLOC, Peer.JEMALLOC))
          .toList();

  @Mixin private SuiteOptions options;

  AllCommand() {}

  @Override
  public Integer call() throws IOException {
    return options.run(suites(options.leakDetection()), Effort.BRIEF);
  }

  /**
   * All suites at these levels of leak detection. Rows that have no goal and rows that are touched
   * are measured at one level, for the time they take.
   */
  static List<Suite> suites(List<LeakDetection> levels) {
    List<LeakDetection> oneLevel =
        levels.contains(LeakDetection.DISABLED) ? List.of(LeakDetection.DISABLED) : levels;
    List<Row> atOnce =
        AllocSuite.rows(
            List.of(AllocPattern.ALLOCATE_RELEASE), List.of("64", "256", "4K", "64K"), List.of(1));
    List<Suite> suites = new ArrayList<>();
    List<Cell> alloc =
        judgedOrAt(oneLevel, alloc(AllocCommand.quickRows(), EVENT_LOOP, levels, UNTOUCHED));
    alloc.addAll(alloc(touchedRows(), EVENT_LOOP, oneLevel, TOUCHED));
    suites.add(timed(alloc).quicklyAmong(PEERS_AND_MALLOC));
    suites.add(
        timed(alloc(atOnce, List.of(ThreadKind.PLAIN), levels, UNTOUCHED))
            .quicklyAmong(PEERS_AND_MALLOC));
    suites.add(timed(VirtualSuite.cells(atOnce, levels, UNTOUCHED)).quicklyAmong(OFF_LOOP_PEERS));
    suites.add(
        timed(CrossThreadSuite.cells(List.of("256"), QUEUE, EVENT_LOOP, levels, UNTOUCHED))
            .quicklyAmong(PEERS_AND_MALLOC));
    List<Cell> crossThread =
        CrossThreadSuite.cells(List.of("4K"), QUEUE, EVENT_LOOP, levels, UNTOUCHED);
    crossThread.addAll(CrossThreadSuite.cells(List.of("4K"), QUEUE, EVENT_LOOP, oneLevel, TOUCHED));
    suites.add(timed(crossThread));
    suites.add(new Suite(GrowSuite.cells(List.of(64), levels), GrowSuite.METRICS));
    suites.add(timed(scale(oneLevel)));
    if (levels.contains(LeakDetection.DISABLED)) {
      suites.add(ChargedCommand.suite(EVENT_LOOP));
    }
    suites.add(HeapCommand.suite(levels));
    if (levels.contains(LeakDetection.SIMPLE)) {
      suites.add(LoopsSuite.suite());
      suites.add(HelloSuite.suite());
    }
    return suites;
  }

  private static List<Row> touchedRows() {
    return List.of(
        new Row(AllocPattern.RING, "4K", 1024),
        new Row(AllocPattern.RANDOM, "1..4K", 1024),
        new Row(AllocPattern.RANDOM, "64K..4M", 1024));
  }

  /** One mix on more and more event loops, and one size on more of them than have places. */
  private static List<Cell> scale(List<LeakDetection> levels) {
    List<Cell> cells = new ArrayList<>();
    Row random = new Row(AllocPattern.RANDOM, "1..4K", 1024);
    Row atOnce = new Row(AllocPattern.ALLOCATE_RELEASE, "256", 1);
    cells.addAll(
        AllocSuite.cells(
            "scale", List.of(random), EVENT_LOOP, List.of(2, 4, 16), levels, UNTOUCHED));
    cells.addAll(
        AllocSuite.cells("scale", List.of(atOnce), EVENT_LOOP, List.of(16), levels, UNTOUCHED));
    return cells;
  }

  private static List<Cell> alloc(
      List<Row> rows, List<ThreadKind> kinds, List<LeakDetection> levels, List<Boolean> touches) {
    return AllocSuite.cells(rows, kinds, levels, touches, AllocSuite.DEFAULT_LOOPS);
  }

  /** Those cells that have a goal, and at these levels the others too. */
  private static List<Cell> judgedOrAt(List<LeakDetection> levels, List<Cell> cells) {
    return cells.stream()
        .filter(cell -> levels.contains(cell.leakDetection()) || Goals.judge(cell))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static Suite timed(List<Cell> cells) {
    return new Suite(cells, List.of(Metric.NS_PER_OP));
  }
}
