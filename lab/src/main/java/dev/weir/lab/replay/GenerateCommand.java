package dev.weir.lab.replay;

import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.trace.TraceSource;
import dev.weir.lab.trace.TraceTotals;
import dev.weir.lab.trace.TraceWriter;
import dev.weir.lab.trace.synthetic.SyntheticTrace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir lab generate}. */
@Command(
    name = "generate",
    description = {
      "Writes a trace that is made from a seed into a file.",
      "'replay' takes its name as well: this is for those who want to look at one, or keep it."
    },
    sortOptions = false,
    footer = {"", "Example:", "  weir lab generate cache --seed 7 -o cache-7.trace"})
public final class GenerateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      converter = OfTrace.class,
      paramLabel = "NAME",
      description = "cache, renewal, drop, survivors-small, churn-1m or mixed.")
  private SyntheticTrace trace;

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "FILE",
      description = "Where the trace goes.")
  private Path output;

  @Mixin private SyntheticOptions synthetic;

  /** Made by picocli. */
  public GenerateCommand() {}

  @Override
  public Integer call() throws IOException {
    Checks checks = new Checks(spec);
    double scale = synthetic.scale(checks);
    checks.requireWritable(output, "--output");
    TraceTotals totals;
    try (TraceSource source = trace.open(synthetic.seed(), scale);
        TraceWriter writer = TraceWriter.create(output)) {
      source.drainTo(writer);
      totals = writer.finish();
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%s: %,d events, %,d allocations of %s MiB, at most %s MiB live%n",
        output,
        totals.events(),
        totals.allocations(),
        Bytes.mib(totals.allocatedBytes()),
        Bytes.mib(totals.peakLiveBytes()));
    out.flush();
    return 0;
  }

  /** Labels of {@link SyntheticTrace}. */
  static final class OfTrace extends Converters<SyntheticTrace> {
    OfTrace() {
      super(label ->
          SyntheticTrace.of(label)
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "no trace '%s'; there are %s".formatted(label, SyntheticTrace.labels()))));
    }
  }
}
