package dev.weir.server;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir serve}: starts the node and keeps it running until SIGTERM or Ctrl-C. */
@Command(
    name = "serve",
    description = "Starts the node: HTTP streams in bounded memory, on loopback.",
    footer = {
      "",
      "Examples:",
      "  weir serve",
      "  weir serve --port 4437 --data ./weir-data --budget 256M"
    })
public final class ServeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "TCP port; 0 takes a free one. Default: ${DEFAULT-VALUE}.",
      defaultValue = "4437")
  private int port;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where streams are kept. Default: ${DEFAULT-VALUE}.",
      defaultValue = "weir-data")
  private Path data;

  @Option(
      names = "--budget",
      paramLabel = "BYTES",
      description = "Most resident buffer memory, as 256M or 1G. Default: ${DEFAULT-VALUE}.",
      defaultValue = "256M")
  private String budget;

  /** Made by picocli. */
  public ServeCommand() {}

  @Override
  public Integer call() {
    spec.commandLine()
        .getErr()
        .println(
            "weir serve: no node in this build (port %d, %s, %s)".formatted(port, data, budget));
    return 1;
  }
}
