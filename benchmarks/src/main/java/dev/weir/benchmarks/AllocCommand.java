package dev.weir.benchmarks;

import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.pattern.AllocPattern;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench alloc}. */
@Command(
    name = "alloc",
    description = "Allocates and releases buffers on one thread: at once, in a ring, at random.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir bench alloc --quick",
      "  weir bench alloc --quick --pattern random --live 8192 --sizes 1..4K --json alloc.jsonl"
    })
final class AllocCommand implements Callable<Integer> {
  private static final int MAX_LOOPS = 256;

  @Mixin private SuiteOptions options;
  @Mixin private RowOptions rowOptions;
  @Mixin private TouchOption touch;
  @Mixin private ThreadOption threads;

  @Option(
      names = "--loops",
      defaultValue = "" + AllocSuite.DEFAULT_LOOPS,
      paramLabel = "N",
      description =
          "Event loops alive, the measured one among them; each has used the allocator (default:"
              + " ${DEFAULT-VALUE}).")
  private int loops;

  AllocCommand() {}

  @Override
  public Integer call() throws IOException {
    if (loops < 1 || loops > MAX_LOOPS) {
      throw options.rejected("--loops must be between 1 and " + MAX_LOOPS);
    }
    List<Row> rows = rowOptions.rows(options.quick() ? quickRows() : allRows(), /* threads= */ 1);
    return options.run(
        new Suite(
            AllocSuite.cells(
                rows, threads.kinds(options), options.leakDetection(), touch.touches(), loops),
            AllocSuite.METRICS));
  }

  /** The rows that matter. */
  static List<Row> quickRows() {
    List<Integer> live = List.of(1024);
    List<Row> rows = new ArrayList<>();
    rows.addAll(
        AllocSuite.rows(
            List.of(AllocPattern.ALLOCATE_RELEASE),
            List.of("64", "256", "4K", "64K", "128K", "1M", "4M", "8M", "32M"),
            live));
    rows.addAll(AllocSuite.rows(List.of(AllocPattern.RING), List.of("256", "4K", "64K"), live));
    List<String> mixes =
        List.of("1..256", "1..4K", "1..64K", "64K..4M", "api-gateway", "websocket-proxy");
    rows.addAll(AllocSuite.rows(List.of(AllocPattern.RANDOM), mixes, live));
    rows.addAll(
        AllocSuite.rows(
            List.of(AllocPattern.RANDOM), List.of("1..4K"), List.of(128, 8192, 65_536)));
    return rows;
  }

  private static List<Row> allRows() {
    List<Row> rows = new ArrayList<>();
    rows.addAll(
        AllocSuite.rows(
            List.of(AllocPattern.ALLOCATE_RELEASE),
            List.of("64", "256", "1K", "4K", "16K", "64K", "128K", "256K", "1M", "4M", "8M", "32M"),
            List.of(1)));
    rows.addAll(
        AllocSuite.rows(
            List.of(AllocPattern.RING),
            List.of("64", "256", "1K", "4K", "16K", "64K", "256K", "1M"),
            List.of(1024)));
    rows.addAll(
        AllocSuite.rows(
            List.of(AllocPattern.RANDOM),
            List.of("1..256", "1..4K", "1..64K", "64K..4M", "api-gateway", "websocket-proxy"),
            List.of(128, 1024, 8192, 65_536)));
    rows.removeIf(row -> row.liveBytes(/* threads= */ 1) > AllocSuite.MAX_LIVE_BYTES);
    return rows;
  }
}
