package dev.weir.replication.command;

import dev.weir.replication.manifest.ContainerName;
import dev.weir.replication.manifest.ManifestException;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import dev.weir.replication.source.SourceException;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.jr.ob.JSON;

/** What fetch and push have in common: flags, and how the end is told. */
final class ClientFlags {
  private static final int REFUSED = 3;
  private static final int CORRUPT = 4;
  private static final int UNREACHABLE = 5;
  private static final int DEFAULT_PORT = 4438;
  private static final int MOST_CONNECTIONS = 256;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

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
      names = "--rate-file",
      paramLabel = "FILE",
      description =
          "Read the rate from this file, again and again: echo 50M > FILE changes it meanwhile.")
  private @Nullable Path rateFile;

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

  ClientFlags() {}

  /** A server, and the name behind it; empty where there is none. */
  record Target(InetSocketAddress address, String name, @Nullable SslContext tls) {}

  int connections() {
    if (connections < 1 || connections > MOST_CONNECTIONS) {
      throw new ParameterException(
          spec.commandLine(), "--connections must be in 1.." + MOST_CONNECTIONS);
    }
    return connections;
  }

  long budgetBytes() {
    return budget.bytes();
  }

  CommandSpec command() {
    return spec;
  }

  boolean json() {
    return json;
  }

  /**
   * Reads {@code http(s)://HOST[:PORT][/NAME]}.
   *
   * @param needsName whether the name may not be left out
   */
  Target target(URI url, boolean needsName) throws IOException {
    boolean secure = "https".equals(url.getScheme());
    String path = url.getPath() == null ? "" : url.getPath().replaceFirst("^/", "");
    if (url.getHost() == null || !(secure || "http".equals(url.getScheme()))) {
      throw new ParameterException(
          spec.commandLine(), "'%s' is no http(s)://HOST:PORT/NAME".formatted(url));
    }
    if ((needsName || !path.isEmpty()) && !ContainerName.isValid(path)) {
      throw new ParameterException(
          spec.commandLine(),
          "'%s' names no container (%s): http://HOST:PORT/NAME".formatted(url, ContainerName.RULE));
    }
    InetSocketAddress address =
        new InetSocketAddress(url.getHost(), url.getPort() < 0 ? DEFAULT_PORT : url.getPort());
    if (address.isUnresolved()) {
      throw new TransferException(
          TransferException.Reason.UNREACHABLE,
          "the host '%s' is not known".formatted(url.getHost()),
          null);
    }
    return new Target(address, path, secure ? TlsContexts.client(ca, certificate, key) : null);
  }

  /** A copy, which gets its rate. */
  interface Copy {
    void run(RateLimit limit) throws IOException, InterruptedException;
  }

  /** Runs a copy with its progress on standard error, and says how a failure ends the command. */
  @SuppressWarnings("try") // the printer looks at the progress by itself
  int run(Progress progress, Copy copy) throws InterruptedException {
    return run(limit -> {
      try (ProgressPrinter printer = ProgressPrinter.start(progress)) {
        copy.run(limit);
      }
    });
  }

  /** Runs a copy, and says how a failure ends the command. */
  @SuppressWarnings("try") // the file looks by itself
  int run(Copy copy) throws InterruptedException {
    return guard(() -> {
      RateLimit limit = new RateLimit(rate == null ? 0 : rate.bytes());
      try (RateFile watched = RateFile.watch(rateFile, limit)) {
        copy.run(limit);
      }
      return 0;
    });
  }

  /** Says how a failure ends the command. */
  int guard(Callable<Integer> work) throws InterruptedException {
    try {
      return work.call();
    } catch (InterruptedException | RuntimeException e) {
      throw rethrow(e);
    } catch (TransferException e) {
      return fail(
          e,
          switch (e.reason()) {
            case REFUSED -> REFUSED;
            case CORRUPT -> CORRUPT;
            case UNREACHABLE -> UNREACHABLE;
          });
    } catch (ManifestException | SourceException e) {
      return fail(e, REFUSED);
    } catch (Exception e) {
      return fail(e, 1);
    }
  }

  private static RuntimeException rethrow(Exception e) throws InterruptedException {
    if (e instanceof InterruptedException interrupted) {
      throw interrupted;
    }
    return (RuntimeException) e;
  }

  /** The figures of a copy that is done, for JSON. */
  static Map<String, Object> figures(Progress progress) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("outcome", "done");
    row.put("verifiedBytes", progress.verifiedBytes());
    row.put("receivedBytes", progress.receivedBytes());
    row.put("sentBytes", progress.sentBytes());
    row.put("keptBytes", progress.keptBytes());
    row.put("badChunks", progress.badChunks());
    row.put("lostConnections", progress.lostConnections());
    row.put("peakBufferBytes", progress.peakBufferBytes());
    return row;
  }

  void print(Map<String, Object> row, String text) {
    spec.commandLine().getOut().println(json ? JSON.std.asString(row) : text);
    spec.commandLine().getOut().flush();
  }

  private int fail(Exception failure, int code) {
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
      print(row, "");
    }
    error(spec.qualifiedName() + ": " + message);
    return code;
  }

  void error(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
