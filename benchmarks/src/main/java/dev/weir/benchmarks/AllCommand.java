package dev.weir.benchmarks;

import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.crossthread.CrossThreadSuite;
import dev.weir.benchmarks.grow.GrowSuite;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.hello.HelloSuite;
import dev.weir.benchmarks.hello.LoopsSuite;
import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.virtual.VirtualSuite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench all}. */
@Command(
    name = "all",
    description =
        "What matters of each suite but compression and view, in one run, and a table of which"
            + " goals are reached. With --quick about half an hour, without it hours.",
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

  @Mixin private SuiteOptions options;

  AllCommand() {}

  @Override
  public Integer call() throws IOException {
    return options.run(suites(options.leakDetection()), Effort.BRIEF);
  }

  /** All suites at these levels of leak detection. */
  static List<Suite> suites(List<LeakDetection> levels) {
    List<Row> atOnce =
        AllocSuite.rows(List.of(AllocPattern.ALLOCATE_RELEASE), List.of("256", "64K"), List.of(1));
    List<Suite> suites = new ArrayList<>();
    suites.add(alloc(AllocCommand.quickRows(), EVENT_LOOP, levels));
    suites.add(alloc(atOnce, List.of(ThreadKind.PLAIN), levels));
    suites.add(new Suite(VirtualSuite.cells(atOnce, levels, UNTOUCHED), List.of(Metric.NS_PER_OP)));
    suites.add(
        new Suite(
            CrossThreadSuite.cells(List.of("256", "4K"), List.of(1024), EVENT_LOOP, levels),
            List.of(Metric.NS_PER_OP)));
    suites.add(new Suite(GrowSuite.cells(List.of(64), levels), GrowSuite.METRICS));
    suites.add(
        new Suite(
            AllocSuite.cells(
                "scale",
                List.of(new Row(AllocPattern.RANDOM, "1..4K", 1024)),
                EVENT_LOOP,
                List.of(2, 4, 16),
                levels,
                UNTOUCHED),
            List.of(Metric.NS_PER_OP)));
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

  private static Suite alloc(List<Row> rows, List<ThreadKind> kinds, List<LeakDetection> levels) {
    return new Suite(
        AllocSuite.cells("alloc", rows, kinds, List.of(1), levels, UNTOUCHED),
        List.of(Metric.NS_PER_OP));
  }
}
