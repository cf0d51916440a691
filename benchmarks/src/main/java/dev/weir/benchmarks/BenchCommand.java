package dev.weir.benchmarks;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir bench}: runs the JMH suites beside Netty's own allocators. */
@Command(
    name = "bench",
    description = "Measures Weir beside Netty's allocators with JMH.",
    footer = {"", "Example:", "  weir bench alloc --quick"})
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** Made by picocli. */
  public BenchCommand() {}

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  @Command(name = "alloc", description = "Allocate and release, by size and thread.")
  int alloc(
      @Option(names = "--quick", description = "A few minutes instead of an hour.") boolean quick) {
    spec.commandLine()
        .getErr()
        .println("weir bench: no suites in this build (quick: " + quick + ")");
    return 1;
  }
}
