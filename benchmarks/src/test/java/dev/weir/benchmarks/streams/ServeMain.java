package dev.weir.benchmarks.streams;

import dev.weir.server.ServeCommand;
import picocli.CommandLine;

/** The node in a process of its own, without the other commands. */
public final class ServeMain {
  private ServeMain() {}

  /** Serves until the process is asked to end. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new ServeCommand()).execute(arguments));
  }
}
