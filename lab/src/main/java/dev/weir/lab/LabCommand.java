package dev.weir.lab;

import dev.weir.lab.accumulate.AccumulateCommand;
import dev.weir.lab.all.RunAllCommand;
import dev.weir.lab.blindspot.BlindSpotCommand;
import dev.weir.lab.cachefragmentation.CacheFragmentationCommand;
import dev.weir.lab.compressed.CompressedCommand;
import dev.weir.lab.explain.ExplainCommand;
import dev.weir.lab.gateway.GatewayCommand;
import dev.weir.lab.httpburst.HttpBurstCommand;
import dev.weir.lab.perthread.PerThreadCommand;
import dev.weir.lab.recording.ImportCommand;
import dev.weir.lab.recording.RecordCommand;
import dev.weir.lab.recording.SizesCommand;
import dev.weir.lab.replay.GenerateCommand;
import dev.weir.lab.replay.ReplayCommand;
import dev.weir.lab.replicate.ReplicationCommand;
import dev.weir.lab.slowclients.SlowClientsCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weir lab}: compares allocators in scenarios and traces, each in a JVM of its own. */
@Command(
    name = "lab",
    description = "Compares allocators in scenarios and traces, each in a JVM of its own.",
    subcommands = {
      LabCommand.Run.class,
      ReplayCommand.class,
      ExplainCommand.class,
      GenerateCommand.class,
      RecordCommand.class,
      ImportCommand.class,
      SizesCommand.class
    },
    footer = {
      "",
      "Examples:",
      "  weir lab run all --quick",
      "  weir lab run http-burst",
      "  weir lab replay cache"
    })
public final class LabCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** Made by picocli. */
  public LabCommand() {}

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /** {@code weir lab run}: one subcommand for each scenario. */
  @Command(
      name = "run",
      description = "Runs one scenario and prints what came of it.",
      subcommands = {
        RunAllCommand.class,
        AccumulateCommand.class,
        HttpBurstCommand.class,
        SlowClientsCommand.class,
        BlindSpotCommand.class,
        CompressedCommand.class,
        CacheFragmentationCommand.class,
        PerThreadCommand.class,
        GatewayCommand.class,
        ReplicationCommand.class
      })
  static final class Run implements Runnable {
    @Spec private CommandSpec spec;

    Run() {}

    @Override
    public void run() {
      spec.commandLine().usage(spec.commandLine().getOut());
    }
  }
}
