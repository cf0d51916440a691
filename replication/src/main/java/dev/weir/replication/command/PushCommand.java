package dev.weir.replication.command;

import dev.weir.replication.manifest.ContainerName;
import dev.weir.replication.push.Push;
import dev.weir.replication.push.PushOptions;
import dev.weir.replication.push.PushResult;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.tree.Deletion;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir replicate push}: sends a container to a server that takes imports. */
@Command(
    name = "push",
    description = "Sends a directory to a server that takes imports, which checks every byte.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:the container is there, whole and verified",
      " 1:this host failed: its disk, for instance",
      " 2:a flag is wrong",
      " 3:refused: imports are off, no room, it exists, a file has changed",
      " 4:corrupt: a chunk was wrong twice; the message names the file",
      " 5:unreachable: what has come is kept, and the next push goes on with it"
    },
    footer = {
      "",
      "Examples:",
      "  weir replicate push /data/photos http://127.0.0.1:4438/",
      "  weir replicate push /data/2026 http://127.0.0.1:4438/photos --rate 100M",
      "  weir replicate push /data/photos https://host:4438/ --ca ca.pem \\",
      "      --tls-cert me.pem --tls-key me.key"
    })
final class PushCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "DIR", description = "What is sent.")
  private Path directory;

  @Parameters(
      index = "1",
      paramLabel = "URL",
      description = "http(s)://HOST[:PORT][/NAME]; the name of DIR, unless another is given.")
  private URI url;

  @Option(
      names = "--cache",
      paramLabel = "DIR",
      description =
          "Keep manifests here, so that files are not read again by the next push. Default: a"
              + " directory that is removed at the end.")
  private @Nullable Path cache;

  @Mixin private ClientFlags flags;

  PushCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    Progress progress = new Progress();
    return flags.guard(() -> {
      ClientFlags.Target target = flags.target(url, /* needsName= */ false);
      String name = target.name().isEmpty() ? nameOf(directory) : target.name();
      Path folder = cache == null ? Files.createTempDirectory("weir-manifests-") : cache;
      try {
        PushOptions options =
            PushOptions.of(directory, name, target.address(), folder)
                .over(flags.connections())
                .within(flags.budgetBytes())
                .secured(target.tls());
        return flags.run(
            progress, limit -> report(Push.run(options.at(limit), progress), progress));
      } finally {
        if (cache == null) {
          Deletion.delete(folder);
        }
      }
    });
  }

  private String nameOf(Path sent) {
    if (!Files.isDirectory(sent)) {
      throw new ParameterException(spec.commandLine(), sent + " is no directory");
    }
    String name = String.valueOf(sent.toAbsolutePath().normalize().getFileName());
    if (!ContainerName.isValid(name)) {
      throw new ParameterException(
          spec.commandLine(),
          "'%s' is no name for a container (%s); give it another: http://HOST:PORT/NAME"
              .formatted(name, ContainerName.RULE));
    }
    return name;
  }

  private void report(PushResult result, Progress progress) {
    double megabytes = progress.sentBytes() / 1e6;
    Map<String, Object> row = ClientFlags.figures(progress);
    row.put("import", result.id());
    row.put("entries", result.entries());
    row.put("bytes", result.bytes());
    row.put("seconds", result.seconds());
    flags.print(
        row,
        "weir: %s  %,d entries, %,d bytes, all verified there; %,.0f MB in %.1f s, %,.0f MB/s"
            .formatted(
                result.id(),
                result.entries(),
                result.bytes(),
                megabytes,
                result.seconds(),
                megabytes / Math.max(result.seconds(), 1e-9)));
  }
}
