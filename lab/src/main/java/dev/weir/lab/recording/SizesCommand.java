package dev.weir.lab.recording;

import dev.weir.lab.trace.TraceReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir lab sizes}. */
@Command(
    name = "sizes",
    description = {
      "Prints how often a trace asks for each size: a histogram for 'weir bench --sizes'."
    },
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  weir lab import service.jfr -o service.trace",
      "  weir lab sizes service.trace > service.sizes",
      "  weir bench alloc --quick --pattern random --sizes service.sizes"
    })
public final class SizesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = "A file of 'weir lab import' or 'generate'.")
  private Path trace;

  /** Made by picocli. */
  public SizesCommand() {}

  @Override
  public Integer call() {
    SizeCounts sizes = new SizeCounts();
    try (TraceReader reader = TraceReader.open(trace)) {
      reader.drainTo(sizes);
    } catch (IOException unreadable) {
      throw new ParameterException(spec.commandLine(), String.valueOf(unreadable.getMessage()));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "# %,d blocks, %,.0f bytes in the mean, half of them up to %,d, 99 %% up to %,d%n",
        sizes.total(),
        sizes.meanBytes(),
        sizes.quantile(0.5),
        sizes.quantile(0.99));
    sizes.counts().forEach((size, count) -> out.println(size + " " + count));
    out.flush();
    return 0;
  }
}
