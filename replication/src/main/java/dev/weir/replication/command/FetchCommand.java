package dev.weir.replication.command;

import dev.weir.replication.fetch.Fetch;
import dev.weir.replication.fetch.FetchOptions;
import dev.weir.replication.fetch.FetchResult;
import dev.weir.replication.fetch.SourceAddress;
import dev.weir.replication.transfer.Progress;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code weir replicate fetch}: copies a container from a server. */
@Command(
    name = "fetch",
    description = "Copies a container from a server into a directory, and checks every byte.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:the container is there, whole and verified",
      " 1:this host failed: its disk, for instance",
      " 2:a flag is wrong",
      " 3:refused: no such container, no room, it exists, the manifest lies",
      " 4:corrupt: a chunk was wrong twice at each source; the message names the file",
      " 5:unreachable: what has come is kept, and the next fetch goes on with it"
    },
    footer = {
      "",
      "Examples:",
      "  weir replicate fetch http://127.0.0.1:4438/photos /backup",
      "  weir replicate fetch http://127.0.0.1:4438/photos /backup --connections 8 --rate 100M",
      "  weir replicate fetch http://127.0.0.1:4438/store /standby --watch",
      "  weir replicate fetch https://host:4438/photos /backup --ca ca.pem \\",
      "      --tls-cert me.pem --tls-key me.key",
      "  weir replicate fetch http://a:4438/photos /backup --from http://b:4438/photos"
    })
final class FetchCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "URL", description = "http(s)://HOST[:PORT]/NAME")
  private URI url;

  @Parameters(
      index = "1",
      paramLabel = "DIR",
      description = "Gets a folder NAME, once all of it is there.")
  private Path directory;

  @Option(
      names = "--from",
      paramLabel = "URL",
      description =
          "Another server with the same container, for what the first sends wrong, or when it"
              + " does not answer. May be given several times.")
  private List<URI> others = List.of();

  @Option(
      names = "--watch",
      arity = "0..1",
      fallbackValue = "10",
      paramLabel = "SECONDS",
      description =
          "Keep DIR/NAME as a standby: ask again so often (10), and bring what is new. At the end"
              + " of the line, or as --watch=SECONDS.")
  private @Nullable Integer watchSeconds;

  @Mixin private ClientFlags flags;

  FetchCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    Progress progress = new Progress();
    return flags.guard(() -> {
      FetchOptions options = options();
      int orphans = Fetch.removeOrphans(directory);
      if (orphans > 0) {
        flags.error(
            "removed %d unfinished imports older than 24 h from %s".formatted(orphans, directory));
      }
      Integer seconds = watchSeconds;
      if (seconds != null) {
        return flags.run(limit ->
            new StandbyWatch(flags.command(), options.at(limit), seconds, flags.json()).run());
      }
      return flags.run(progress, limit -> report(Fetch.run(options.at(limit), progress), progress));
    });
  }

  private FetchOptions options() throws IOException {
    ClientFlags.Target source = flags.target(url, /* needsName= */ true);
    List<SourceAddress> more = new ArrayList<>();
    for (URI other : others) {
      ClientFlags.Target target = flags.target(other, /* needsName= */ true);
      more.add(new SourceAddress(target.address(), target.name(), target.tls()));
    }
    if (watchSeconds != null && watchSeconds < 1) {
      throw new ParameterException(flags.command().commandLine(), "--watch needs a second or more");
    }
    return FetchOptions.of(source.address(), source.name(), directory)
        .over(flags.connections())
        .within(flags.budgetBytes())
        .secured(source.tls())
        .orFrom(more);
  }

  private void report(FetchResult result, Progress progress) {
    double megabytes = progress.receivedBytes() / 1e6;
    Map<String, Object> row = ClientFlags.figures(progress);
    row.put("directory", result.directory().toString());
    row.put("entries", result.entries());
    row.put("bytes", result.bytes());
    row.put("seconds", result.seconds());
    flags.print(
        row,
        "weir: %s  %,d entries, %,d bytes, all verified; %,.0f MB in %.1f s, %,.0f MB/s"
            .formatted(
                result.directory(),
                result.entries(),
                result.bytes(),
                megabytes,
                result.seconds(),
                megabytes / Math.max(result.seconds(), 1e-9)));
  }
}
