package dev.weir.server;

import picocli.CommandLine;

/** {@code weir serve} as a process of its own, for tests that kill it. */
public final class ServeMain {
  private ServeMain() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new ServeCommand()).execute(arguments));
  }
}
