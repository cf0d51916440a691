package dev.weir.lab.cachefragmentation;

import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.peer.PeerConverter;
import dev.weir.lab.peer.PeerOptions;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.ReportOption;
import dev.weir.lab.scenario.ScenarioRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir lab run cache-fragmentation}. */
@Command(
    name = "cache-fragmentation",
    description = {
      "Two caches in one limit, under changing loads: how much of the plan is resident.",
      "Weir runs its own caches; Netty's allocators run the same with a buffer a record and page.",
      "The exit code is 3 if a row could not be measured."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run cache-fragmentation --quick",
      "  weir lab run cache-fragmentation --allocators weir+dense,netty-4.1.51" + " --report caches"
    })
public final class CacheFragmentationCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--allocators",
      split = ",",
      converter = PeerConverter.class,
      defaultValue =
          "weir,weir+dense,netty-4.1.51,netty-4.1.68,netty-4.1.137,netty-4.2.18-pooled,"
              + "netty-4.2.18-adaptive",
      paramLabel = "NAME",
      description = "What to compare, in this order (default: ${DEFAULT-VALUE}).")
  private List<NettyPeer> allocators;

  @Mixin private PeerOptions peers;
  @Mixin private ReportOption report;

  @Option(names = "--quick", description = "An eighth of the memory, and five phases.")
  private boolean quick;

  @Option(
      names = "--log-cache",
      converter = Converters.OfBytes.class,
      defaultValue = "512M",
      paramLabel = "SIZE",
      description = "Capacity of the log cache (default: ${DEFAULT-VALUE}).")
  private long logBytes;

  @Option(
      names = "--block-cache",
      converter = Converters.OfBytes.class,
      defaultValue = "256M",
      paramLabel = "SIZE",
      description = "Capacity of the block cache (default: ${DEFAULT-VALUE}).")
  private long blockBytes;

  @Option(
      names = "--limit",
      converter = Converters.OfBytes.class,
      paramLabel = "SIZE",
      description = "Direct memory of each allocator (default: 1.5 times both caches).")
  private @Nullable Long limitBytes;

  @Option(
      names = "--phases",
      defaultValue = "10",
      paramLabel = "N",
      description = "How often the load changes (default: ${DEFAULT-VALUE}, with --quick 5).")
  private int phases;

  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Of the load (default: ${DEFAULT-VALUE}).")
  private long seed;

  /** Made by picocli. */
  public CacheFragmentationCommand() {}

  @Override
  public Integer call() throws IOException {
    CachePlan plan = plan();
    report.require(new Checks(spec));
    List<LabRow> rows = CacheScenario.rows(new LinkedHashSet<>(allocators), peers.jdk(), plan);
    ScenarioRun run =
        new ScenarioRun(
            rows,
            report.keeper("weir lab run " + CacheScenario.NAME, rows.size()),
            ProgressLine.onTerminal());
    int exit = run.run();
    PrintWriter out = spec.commandLine().getOut();
    out.print(CacheTable.render(run.rows(), spec.commandLine().getColorScheme().ansi()));
    out.flush();
    return exit;
  }

  private CachePlan plan() {
    Checks checks = new Checks(spec);
    checks.require(logBytes >= 32 << 20, "--log-cache", "at least 32M");
    checks.require(blockBytes >= 32 << 20, "--block-cache", "at least 32M");
    checks.require(phases > 0 && phases <= 1_000, "--phases", "between 1 and 1000");
    CachePlan plan = CachePlan.of(logBytes, blockBytes, phases, seed, quick);
    if (limitBytes == null) {
      return plan;
    }
    checks.require(limitBytes >= plan.plannedBytes(), "--limit", "at least both caches");
    return plan.within(limitBytes);
  }
}
