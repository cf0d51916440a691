package dev.weir.lab.gateway;

import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
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

/** {@code weir lab run gateway}. */
@Command(
    name = GatewayScenario.NAME,
    description = {
      "Responses of 20 KB through zstd: collections, and memory through load and rest.",
      "Of ten clients one vanishes within its response.",
      "The exit code is 3 if a row could not be measured."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run gateway --quick",
      "  weir lab run gateway --coders finalizers,weir --mallocs glibc --report gateway"
    })
public final class GatewayCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--coders",
      split = ",",
      converter = OfCoder.class,
      defaultValue = "heap-copies,finalizers,netty-compressor,weir",
      paramLabel = "NAME",
      description = "Ways of compressing, in this order (default: ${DEFAULT-VALUE}).")
  private List<GatewayCoder> coders;

  @Option(
      names = "--mallocs",
      split = ",",
      converter = OfMalloc.class,
      defaultValue = "glibc,jemalloc",
      paramLabel = "NAME",
      description = "What the JVM's malloc is (default: ${DEFAULT-VALUE}).")
  private List<Malloc> mallocs;

  @Option(names = "--quick", description = "Eight seconds of load and ten of none.")
  private boolean quick;

  @Mixin private ReportOption report;

  /** Labels of {@link GatewayCoder}. */
  static final class OfCoder extends Converters<GatewayCoder> {
    OfCoder() {
      super(GatewayCoder::of);
    }
  }

  /** Labels of {@link Malloc}. */
  static final class OfMalloc extends Converters<Malloc> {
    OfMalloc() {
      super(Malloc::of);
    }
  }

  /** Made by picocli. */
  public GatewayCommand() {}

  @Override
  public Integer call() throws IOException {
    report.require(new Checks(spec));
    List<LabRow> rows =
        GatewayScenario.rows(
            new LinkedHashSet<>(coders), new LinkedHashSet<>(mallocs), GatewayPlan.of(quick));
    ScenarioRun run =
        new ScenarioRun(
            rows,
            report.keeper("weir lab run " + GatewayScenario.NAME, rows.size()),
            ProgressLine.onTerminal());
    int exit = run.run();
    PrintWriter out = spec.commandLine().getOut();
    out.print(GatewayScenario.render(run.rows(), spec.commandLine().getColorScheme().ansi()));
    out.flush();
    return exit;
  }
}
