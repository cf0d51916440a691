package dev.weir.lab.replicate;

import dev.weir.lab.options.Checks;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.ReportOption;
import dev.weir.lab.scenario.ScenarioRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir lab run replication}. */
@Command(
    name = ReplicationScenario.NAME,
    description = {
      "Ten containers at once into a receiver that takes 50 MB/s.",
      "gRPC that pushes without a look, gRPC with flow control, and Weir with --budget 64M,",
      "each side within 256 MiB of direct memory.",
      "The exit code is 3 if a row could not be measured."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run replication --quick",
      "  weir lab run replication --peers weir --report replication"
    })
public final class ReplicationCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--peers",
      split = ",",
      converter = ReplicateBenchCommand.OfPeer.class,
      defaultValue = "grpc-naive,grpc,weir",
      paramLabel = "NAME",
      description = {
        "Who copies (default: ${DEFAULT-VALUE}).",
        "Also grpc-polled, grpc+adaptive, grpc+weir."
      })
  private List<Peer> peers;

  @Option(names = "--quick", description = "Containers of 60 MB instead of 1 GB.")
  private boolean quick;

  @Mixin private ReportOption report;

  /** Made by picocli. */
  public ReplicationCommand() {}

  @Override
  public Integer call() throws IOException {
    Checks checks = new Checks(spec);
    checks.require(
        peers.stream().allMatch(Peer::isWhole), "--peers", "weir, or a peer whose name has grpc");
    report.require(checks);
    List<LabRow> rows = ReplicationScenario.rows(peers, ReplicationPlan.of(quick));
    ScenarioRun run =
        new ScenarioRun(
            rows,
            report.keeper("weir lab run " + ReplicationScenario.NAME, rows.size()),
            ProgressLine.everywhere());
    int exit = run.run();
    PrintWriter out = spec.commandLine().getOut();
    out.print(ReplicationScenario.render(run.rows(), spec.commandLine().getColorScheme().ansi()));
    out.flush();
    return exit;
  }
}
