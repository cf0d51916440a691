package dev.weir.cli;

import dev.weir.benchmarks.BenchCommand;
import dev.weir.cli.doctor.DoctorCommand;
import dev.weir.lab.LabCommand;
import dev.weir.replication.command.ReplicateCommand;
import dev.weir.server.ServeCommand;
import dev.weir.server.top.TopCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command: it names the subcommands and, alone, prints what they are. */
@Command(
    name = "weir",
    description = "Buffer memory for network services on the JVM.",
    versionProvider = VersionText.class,
    sortOptions = false,
    subcommands = {
      ServeCommand.class,
      TopCommand.class,
      DoctorCommand.class,
      ReplicateCommand.class,
      LabCommand.class,
      BenchCommand.class,
      HelpCommand.class
    },
    footer = {
      "",
      "Examples:",
      "  weir serve --port 4437 --budget 256M",
      "  weir top",
      "  weir doctor ./weir-data",
      "  weir replicate fetch http://127.0.0.1:4438/photos /backup",
      "  weir lab run http-burst",
      "  weir bench alloc --quick",
      "  weir help serve",
      "",
      "WEIR_JAVA_OPTS holds more flags for the JVM."
    })
@SuppressWarnings("UnusedVariable") // picocli writes the flags and acts on them itself
final class WeirCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Prints this text.")
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Prints the version of Weir and of Java.")
  private boolean version;

  WeirCommand() {}

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
