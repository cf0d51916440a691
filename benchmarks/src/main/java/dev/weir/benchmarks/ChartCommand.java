package dev.weir.benchmarks;

import dev.weir.benchmarks.record.BenchRecord;
import dev.weir.benchmarks.record.Charts;
import dev.weir.benchmarks.record.Repository;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir bench chart}. */
@Command(
    name = "chart",
    description = "Draws the charts in docs/img again from a record in docs/benchmarks.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench chart docs/benchmarks/DATE-COMMIT.json"})
final class ChartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "RECORD", description = "The record's file.")
  private Path file;

  ChartCommand() {}

  @Override
  public Integer call() throws IOException {
    Repository repository =
        Repository.around(Path.of(""))
            .orElseThrow(() ->
                new ParameterException(
                    spec.commandLine(),
                    "no docs/benchmarks around this folder: run it inside the repository"));
    for (Path chart : Charts.draw(BenchRecord.read(file), repository)) {
      spec.commandLine().getOut().println(chart);
    }
    spec.commandLine().getOut().flush();
    return 0;
  }
}
