package dev.weir.replication.command;

import dev.weir.replication.fetch.Fetch;
import dev.weir.replication.fetch.FetchException;
import dev.weir.replication.fetch.FetchOptions;
import dev.weir.replication.fetch.FetchResult;
import dev.weir.replication.fetch.Progress;
import dev.weir.replication.manifest.ManifestException;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
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
import tools.jackson.jr.ob.JSON;

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
      " 4:corrupt: a chunk was wrong twice; the message names the file",
      " 5:unreachable: what has come is kept, and the next fetch goes on with it"
    },
    footer = {
      "",
      "Examples:",
      "  weir replicate fetch http://127.0.0.1:4438/photos /backup",
      "  weir replicate fetch http://127.0.0.1:4438/photos /backup --connections 8 --rate 100M",
      "  weir replicate fetch http://127.0.0.1:4438/store /standby --watch",
      "  weir replicate fetch https://host:4438/photos /backup --ca ca.pem \\",
      "      --tls-cert me.pem --tls-key me.key"
    })
final class FetchCommand implements Callable<Integer> {
  private static final int REFUSED = 3;
  private static final int CORRUPT = 4;
  private static final int UNREACHABLE = 5;
  private static final int DEFAULT_PORT = 4438;
  private static final int MOST_CONNECTIONS = 256;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "URL", description = "http(s)://HOST[:PORT]/NAME")
  private URI url;

  @Parameters(
      index = "1",
      paramLabel = "DIR",
      description = "Gets a folder NAME, once all of it is there.")
  private Path directory;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "How many at once. Default: ${DEFAULT-VALUE}.",
      defaultValue = "4")
  private int connections;

  @Option(
      names = "--rate",
      paramLabel = "BYTES",
      description = "Most bytes a second, over all connections, as 100M. Default: no limit.",
      converter = ByteAmount.Converter.class)
  private @Nullable ByteAmount rate;

  @Option(
      names = "--budget",
      paramLabel = "BYTES",
      description =
          "Most resident buffer memory; each connection counts for 1M. Default: ${DEFAULT-VALUE}.",
      converter = ByteAmount.Converter.class,
      defaultValue = "64M")
  private ByteAmount budget;

  @Option(names = "--json", description = "Print the result as one JSON object.")
  private boolean json;

  @Option(
      names = "--watch",
      arity = "0..1",
      fallbackValue = "10",
      paramLabel = "SECONDS",
      description =
          "Keep DIR/NAME as a standby: ask again so often (10), and bring what is new. At the end"
              + " of the line, or as --watch=SECONDS.")
  private @Nullable Integer watchSeconds;

  @Mixin private ClientTls tls;

  FetchCommand() {}

  /** The options of TLS. */
  static final class ClientTls {
    @Option(
        names = "--ca",
        paramLabel = "FILE",
        description = "Trust servers with a certificate of this authority, in PEM.")
    private @Nullable Path ca;

    @Option(
        names = "--tls-cert",
        paramLabel = "FILE",
        description = "Show this certificate to the server, in PEM.")
    private @Nullable Path certificate;

    @Option(
        names = "--tls-key",
        paramLabel = "FILE",
        description = "The key of the certificate, in PEM (PKCS #8).")
    private @Nullable Path key;

    ClientTls() {}

    SslContext context() throws IOException {
      return TlsContexts.client(ca, certificate, key);
    }
  }

  @Override
  @SuppressWarnings("try") // the printer looks at the progress by itself
  public Integer call() throws IOException, InterruptedException {
    FetchOptions options = options();
    int orphans = Fetch.removeOrphans(directory);
    if (orphans > 0) {
      error("removed %d unfinished imports older than 24 h from %s".formatted(orphans, directory));
    }
    Progress progress = new Progress();
    try {
      if (watchSeconds != null) {
        return new StandbyWatch(spec, options, watchSeconds, json).run();
      }
      FetchResult result;
      try (ProgressPrinter printer = ProgressPrinter.start(progress)) {
        result = Fetch.run(options, progress);
      }
      report(result, progress);
      return 0;
    } catch (FetchException e) {
      return fail(
          e,
          switch (e.reason()) {
            case REFUSED -> REFUSED;
            case CORRUPT -> CORRUPT;
            case UNREACHABLE -> UNREACHABLE;
          });
    } catch (ManifestException e) {
      return fail(e, REFUSED);
    } catch (IOException e) {
      return fail(e, 1);
    }
  }

  private FetchOptions options() throws IOException {
    boolean secure = "https".equals(url.getScheme());
    String path = url.getPath() == null ? "" : url.getPath().replaceFirst("^/", "");
    if (url.getHost() == null || !(secure || "http".equals(url.getScheme()))) {
      throw new ParameterException(
          spec.commandLine(), "'%s' is no http(s)://HOST:PORT/NAME".formatted(url));
    }
    if (!ContainerName.isValid(path)) {
      throw new ParameterException(
          spec.commandLine(),
          "'%s' names no container (%s): http://HOST:PORT/NAME".formatted(url, ContainerName.RULE));
    }
    if (watchSeconds != null && watchSeconds < 1) {
      throw new ParameterException(spec.commandLine(), "--watch needs a second or more");
    }
    if (connections < 1 || connections > MOST_CONNECTIONS) {
      throw new ParameterException(
          spec.commandLine(), "--connections must be in 1.." + MOST_CONNECTIONS);
    }
    int port = url.getPort() < 0 ? DEFAULT_PORT : url.getPort();
    InetSocketAddress source = new InetSocketAddress(url.getHost(), port);
    if (source.isUnresolved()) {
      throw new FetchException(
          FetchException.Reason.UNREACHABLE,
          "the host '%s' is not known".formatted(url.getHost()),
          null);
    }
    return FetchOptions.of(source, path, directory)
        .over(connections)
        .within(budget.bytes())
        .at(new RateLimit(rate == null ? 0 : rate.bytes()))
        .secured(secure ? tls.context() : null);
  }

  private void report(FetchResult result, Progress progress) {
    PrintWriter out = spec.commandLine().getOut();
    double megabytes = progress.receivedBytes() / 1e6;
    if (json) {
      Map<String, Object> row = figures("done", progress);
      row.put("directory", result.directory().toString());
      row.put("entries", result.entries());
      row.put("bytes", result.bytes());
      row.put("seconds", result.seconds());
      out.println(JSON.std.asString(row));
    } else {
      out.printf(
          "weir: %s  %,d entries, %,d bytes, all verified; %,.0f MB in %.1f s, %,.0f MB/s%n",
          result.directory(),
          result.entries(),
          result.bytes(),
          megabytes,
          result.seconds(),
          megabytes / Math.max(result.seconds(), 1e-9));
    }
    out.flush();
  }

  private static Map<String, Object> figures(String outcome, Progress progress) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("outcome", outcome);
    row.put("verifiedBytes", progress.verifiedBytes());
    row.put("receivedBytes", progress.receivedBytes());
    row.put("keptBytes", progress.keptBytes());
    row.put("badChunks", progress.badChunks());
    row.put("lostConnections", progress.lostConnections());
    row.put("peakBufferBytes", progress.peakBufferBytes());
    return row;
  }

  private int fail(IOException failure, int code) {
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    if (json) {
      String outcome =
          switch (code) {
            case REFUSED -> "refused";
            case CORRUPT -> "corrupt";
            case UNREACHABLE -> "unreachable";
            default -> "failed";
          };
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("outcome", outcome);
      row.put("message", message);
      spec.commandLine().getOut().println(JSON.std.asString(row));
      spec.commandLine().getOut().flush();
    }
    error("weir replicate fetch: " + message);
    return code;
  }

  private void error(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
