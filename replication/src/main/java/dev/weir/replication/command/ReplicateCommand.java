package dev.weir.replication.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weir replicate}: containers over HTTP. */
@Command(
    name = "replicate",
    description = "Copies directory trees between hosts by HTTP, verified, in bounded memory.",
    subcommands = {ServeContainersCommand.class, FetchCommand.class, PushCommand.class},
    footer = {
      "",
      "Examples:",
      "  weir replicate serve /data/photos",
      "  weir replicate fetch http://127.0.0.1:4438/photos /backup",
      "  weir replicate push /data/photos http://127.0.0.1:4438/"
    })
public final class ReplicateCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** Made by picocli. */
  public ReplicateCommand() {}

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
