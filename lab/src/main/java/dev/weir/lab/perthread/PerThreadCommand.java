package dev.weir.lab.perthread;

import dev.weir.lab.options.Checks;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir lab run rss-per-thread}. */
@Command(
    name = PerThreadScenario.NAME,
    description = {
      "Twenty requests over sixteen event loops: the resident memory after each.",
      "Each allocator serves in a JVM of its own: Netty 4.1 on Java 17, the others on this one.",
      "The exit code is 3 if a row could not be measured."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run rss-per-thread --quick",
      "  weir lab run rss-per-thread --allocators netty-4.1.68,weir --report per-thread"
    })
public final class PerThreadCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--allocators",
      split = ",",
      converter = PeerConverter.class,
      defaultValue =
          "netty-4.1.51,netty-4.1.68-no-flags,netty-4.1.68,netty-4.1.137,netty-4.2.18-pooled,"
              + "netty-4.2.18-adaptive,weir",
      paramLabel = "NAME",
      description = "What to compare, in this order (default: ${DEFAULT-VALUE}).")
  private List<NettyPeer> allocators;

  @Option(names = "--quick", description = "A short pause at the end.")
  private boolean quick;

  @Mixin private PeerOptions peers;
  @Mixin private ReportOption report;

  /** Made by picocli. */
  public PerThreadCommand() {}

  @Override
  public Integer call() throws IOException {
    report.require(new Checks(spec));
    List<LabRow> rows = PerThreadScenario.rows(new LinkedHashSet<>(allocators), peers.jdk(), quick);
    ScenarioRun run =
        new ScenarioRun(
            rows,
            report.keeper("weir lab run " + PerThreadScenario.NAME, rows.size()),
            ProgressLine.onTerminal());
    int exit = run.run();
    PrintWriter out = spec.commandLine().getOut();
    out.print(PerThreadScenario.render(run.rows(), spec.commandLine().getColorScheme().ansi()));
    out.flush();
    return exit;
  }
}
