package dev.weir.benchmarks;

import dev.weir.lab.replicate.ReplicateBenchCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weir bench}: one subcommand for each suite of benchmarks. */
@Command(
    name = "bench",
    description =
        "Measures Weir beside Netty's allocators and malloc, and the node and copies beside"
            + " others.",
    subcommands = {
      AllCommand.class,
      AllocCommand.class,
      WrittenCommand.class,
      CrossThreadCommand.class,
      GrowCommand.class,
      VirtualCommand.class,
      ScaleCommand.class,
      ChargedCommand.class,
      HeapCommand.class,
      HeapBuffersCommand.class,
      LoopsCommand.class,
      HelloCommand.class,
      ViewCommand.class,
      CompressionCommand.class,
      StreamsCommand.class,
      ReplicateBenchCommand.class,
      ChartCommand.class
    },
    footer = {
      "",
      "Examples:",
      "  weir bench all --quick",
      "  weir bench written --quick",
      "  weir bench streams --quick"
    })
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** Made by picocli. */
  public BenchCommand() {}

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
