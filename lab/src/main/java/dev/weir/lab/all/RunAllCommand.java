package dev.weir.lab.all;

import dev.weir.lab.accumulate.AccumulatePlan;
import dev.weir.lab.accumulate.AccumulateScenario;
import dev.weir.lab.cachefragmentation.CachePlan;
import dev.weir.lab.cachefragmentation.CacheScenario;
import dev.weir.lab.cachefragmentation.CacheTable;
import dev.weir.lab.gateway.GatewayCoder;
import dev.weir.lab.gateway.GatewayPlan;
import dev.weir.lab.gateway.GatewayScenario;
import dev.weir.lab.gateway.Malloc;
import dev.weir.lab.options.Checks;
import dev.weir.lab.peer.Jdk;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.peer.PeerOptions;
import dev.weir.lab.perthread.PerThreadScenario;
import dev.weir.lab.replicate.ReplicationPlan;
import dev.weir.lab.replicate.ReplicationScenario;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.ReportOption;
import dev.weir.lab.scenario.ScenarioRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir lab run all}. */
@Command(
    name = "all",
    description = {
      "Every scenario with older Nettys beside Weir, into one report.",
      "What is measured is kept after each row, also when the run is interrupted.",
      "The exit code is 3 if a row could not be measured."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run all --quick",
      "  weir lab run all --report evening --jdk /usr/lib/jvm/java-17-openjdk-amd64"
    })
public final class RunAllCommand implements Callable<Integer> {
  private static final List<NettyPeer> PEERS =
      List.of(
          NettyPeer.NETTY_4_1_51,
          NettyPeer.NETTY_4_1_68,
          NettyPeer.NETTY_4_1_137,
          NettyPeer.NETTY_4_2_POOLED,
          NettyPeer.NETTY_4_2_ADAPTIVE,
          NettyPeer.WEIR);

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Within ten minutes on two processors.")
  private boolean quick;

  @Mixin private PeerOptions peers;
  @Mixin private ReportOption report;

  /** Made by picocli. */
  public RunAllCommand() {}

  @Override
  public Integer call() throws IOException {
    report.folderIfNone(Path.of("weir-lab-report"));
    report.require(new Checks(spec));
    List<LabRow> rows = rows(quick, peers.jdk());
    String command = "weir lab run all" + (quick ? " --quick" : "");
    ScenarioRun run =
        new ScenarioRun(rows, report.keeper(command, rows.size()), ProgressLine.everywhere());
    int exit = run.run();
    PrintWriter out = spec.commandLine().getOut();
    print(out, run.rows());
    out.println("\nThe report: " + report.folder() + "/report.html");
    out.flush();
    return exit;
  }

  /** All rows, in the order of the scenarios. */
  static List<LabRow> rows(boolean quick, Optional<Jdk> jdk) {
    List<LabRow> rows = new ArrayList<>();
    rows.addAll(AccumulateScenario.rows(PEERS, jdk, AccumulatePlan.of(quick)));
    rows.addAll(CacheScenario.rows(with(NettyPeer.WEIR_DENSE), jdk, CachePlan.standard(quick)));
    rows.addAll(PerThreadScenario.rows(with(NettyPeer.NETTY_4_1_68_PLAIN), jdk, quick));
    rows.addAll(
        GatewayScenario.rows(
            List.of(GatewayCoder.values()), List.of(Malloc.values()), GatewayPlan.of(quick)));
    rows.addAll(ReplicationScenario.rows(ReplicationPlan.of(quick)));
    return rows;
  }

  private static List<NettyPeer> with(NettyPeer another) {
    List<NettyPeer> more = new ArrayList<>(PEERS);
    more.add(another);
    more.sort(null);
    return more;
  }

  private void print(PrintWriter out, List<Map<String, @Nullable Object>> rows) {
    Ansi ansi = spec.commandLine().getColorScheme().ansi();
    out.println(AccumulateScenario.NAME);
    out.println(AccumulateScenario.render(rows, ansi));
    out.println(CacheScenario.NAME);
    out.println(CacheTable.render(rows, ansi));
    out.println(PerThreadScenario.NAME);
    out.println(PerThreadScenario.render(rows, ansi));
    out.println(GatewayScenario.NAME);
    out.println(GatewayScenario.render(rows, ansi));
    out.println(ReplicationScenario.NAME);
    out.print(ReplicationScenario.render(rows, ansi));
  }
}
