package dev.weir.lab;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir lab}: runs scenarios that compare allocators, each in a JVM of its own. */
@Command(
    name = "lab",
    description = "Compares allocators in scenarios and traces, each in a JVM of its own.",
    footer = {"", "Example:", "  weir lab run http-burst"})
public final class LabCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** Made by picocli. */
  public LabCommand() {}

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  @Command(name = "run", description = "Runs one scenario and prints a table.")
  int run(@Parameters(paramLabel = "SCENARIO", description = "Its name.") String scenario) {
    spec.commandLine().getErr().println("weir lab run: no scenario named '" + scenario + "'");
    return 2;
  }
}
