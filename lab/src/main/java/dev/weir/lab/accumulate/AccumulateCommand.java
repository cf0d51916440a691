package dev.weir.lab.accumulate;

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

/** {@code weir lab run http-accumulate}. */
@Command(
    name = AccumulateScenario.NAME,
    description = {
      "Small uploads over sixteen loops, then large ones, until one is refused.",
      "Each allocator serves in a JVM of its own: Netty 4.1 on Java 17, the others on this one.",
      "The exit code is 3 if a row could not be measured."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run http-accumulate --quick",
      "  weir lab run http-accumulate --allocators netty-4.1.51,weir --report accumulate"
    })
public final class AccumulateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--allocators",
      split = ",",
      converter = PeerConverter.class,
      defaultValue =
          "netty-4.1.51,netty-4.1.68,netty-4.1.137,netty-4.2.18-pooled,netty-4.2.18-adaptive,weir",
      paramLabel = "NAME",
      description = "What to compare, in this order (default: ${DEFAULT-VALUE}).")
  private List<NettyPeer> allocators;

  @Option(names = "--quick", description = "A tenth of the small uploads, and a short pause.")
  private boolean quick;

  @Mixin private PeerOptions peers;
  @Mixin private ReportOption report;

  /** Made by picocli. */
  public AccumulateCommand() {}

  @Override
  public Integer call() throws IOException {
    report.require(new Checks(spec));
    AccumulatePlan plan = AccumulatePlan.of(quick);
    List<LabRow> rows = AccumulateScenario.rows(new LinkedHashSet<>(allocators), peers.jdk(), plan);
    ScenarioRun run =
        new ScenarioRun(
            rows,
            report.keeper("weir lab run " + AccumulateScenario.NAME, rows.size()),
            ProgressLine.onTerminal());
    int exit = run.run();
    PrintWriter out = spec.commandLine().getOut();
    out.println(AccumulateScenario.summary(plan));
    out.print(AccumulateScenario.render(run.rows(), spec.commandLine().getColorScheme().ansi()));
    out.flush();
    return exit;
  }
}
