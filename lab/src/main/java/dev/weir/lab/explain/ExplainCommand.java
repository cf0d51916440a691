package dev.weir.lab.explain;

import dev.weir.lab.replay.TraceRows;
import dev.weir.lab.trace.TraceReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir lab explain}. */
@Command(
    name = "explain",
    description = {
      "Says in plain words what in a trace hurts which allocator, and which setting helps.",
      "Replays it on one thread on Weir and on Netty's allocators."
    },
    footer = {"", "Example:", "  weir lab explain service.trace"})
public final class ExplainCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = "A file that 'weir lab record' or import wrote.")
  private Path trace;

  /** Made by picocli. */
  public ExplainCommand() {}

  @Override
  public Integer call() throws IOException {
    TraceProfile profile = new TraceProfile();
    try (TraceReader reader = TraceReader.open(trace)) {
      reader.drainTo(profile);
    } catch (IOException unreadable) {
      throw new ParameterException(
          spec.commandLine(), "'%s' cannot be read: %s".formatted(trace, unreadable.getMessage()));
    }
    Explanation.of(profile, TraceRows.of(trace)).forEach(spec.commandLine().getOut()::println);
    spec.commandLine().getOut().flush();
    return 0;
  }
}
