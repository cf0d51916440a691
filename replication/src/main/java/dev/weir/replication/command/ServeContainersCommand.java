package dev.weir.replication.command;

import dev.weir.replication.fetch.FetchOptions;
import dev.weir.replication.imports.ImportOptions;
import dev.weir.replication.manifest.ContainerName;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import dev.weir.replication.serve.ClientList;
import dev.weir.replication.serve.ReplicationServer;
import dev.weir.replication.serve.ServeOptions;
import dev.weir.replication.tree.Deletion;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir replicate serve}: offers directories until SIGTERM or Ctrl-C. */
@Command(
    name = "serve",
    description =
        "Offers directories as containers, and takes those that others push, until SIGTERM or"
            + " Ctrl-C.",
    footer = {
      "",
      "A container has the name of its directory. Files may be added and removed while it is",
      "served; a file that changes after its manifest was made is refused by name.",
      "",
      "Examples:",
      "  weir replicate serve /data/photos /data/videos",
      "  weir replicate serve photos=/data/2026 --listen 127.0.0.1:4438 --rate 100M",
      "  weir replicate serve /data/photos --listen 0.0.0.0:4438 \\",
      "      --tls-cert cert.pem --tls-key key.pem --client-ca ca.pem",
      "  weir replicate serve --imports /backup",
      "  weir replicate serve --imports /backup --listen 0.0.0.0:4438 \\",
      "      --tls-cert cert.pem --tls-key key.pem --import-clients clients.pem",
      "  curl http://127.0.0.1:4438/containers",
      "  curl -X PUT -d 50M http://127.0.0.1:4438/rate"
    })
final class ServeContainersCommand implements Callable<Integer> {
  private static final long LEAST_BUDGET_BYTES = 4 << 20;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "[NAME=]DIR",
      arity = "0..*",
      description = "Directories to offer, perhaps under another name.")
  private List<String> directories = List.of();

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Where to listen; port 0 takes a free one. Default: ${DEFAULT-VALUE}.",
      converter = HostAndPort.Converter.class,
      defaultValue = "127.0.0.1:4438")
  private HostAndPort listen;

  @Option(
      names = "--budget",
      paramLabel = "BYTES",
      description =
          "Most resident buffer memory; each connection counts for 1M. Default: ${DEFAULT-VALUE}.",
      converter = ByteAmount.Converter.class,
      defaultValue = "64M")
  private ByteAmount budget;

  @Option(
      names = "--rate",
      paramLabel = "BYTES",
      description = "Most bytes a second, over all connections, as 100M. Default: no limit.",
      converter = ByteAmount.Converter.class)
  private @Nullable ByteAmount rate;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Serve https with this certificate, or chain of them, in PEM.")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The key of the certificate, in PEM (PKCS #8).")
  private @Nullable Path key;

  @Option(
      names = "--client-ca",
      paramLabel = "FILE",
      description = "Let in only clients with a certificate of this authority, in PEM.")
  private @Nullable Path clientCa;

  @Option(
      names = "--cache",
      paramLabel = "DIR",
      description =
          "Keep manifests here, so that files are not read again after a restart. Default: a"
              + " directory that is removed at the end.")
  private @Nullable Path cache;

  @Option(
      names = "--imports",
      paramLabel = "DIR",
      description = "Take containers that others push, into this directory. Default: none.")
  private @Nullable Path imports;

  @Option(
      names = "--import-clients",
      paramLabel = "FILE",
      description = "Only clients with one of these certificates, in PEM, may push.")
  private @Nullable Path importClients;

  @Option(
      names = "--insecure",
      description = "Let everybody push who reaches the port, also beyond this machine.")
  private boolean insecure;

  ServeContainersCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, Path> containers = containers();
    if (budget.bytes() < LEAST_BUDGET_BYTES) {
      throw new ParameterException(spec.commandLine(), "--budget must be at least 4M");
    }
    if (containers.isEmpty() && imports == null) {
      throw new ParameterException(
          spec.commandLine(), "name a directory to offer, or --imports DIR, or both");
    }
    requireSafeImports();
    SslContext tls = tls();
    Path folder = cache == null ? Files.createTempDirectory("weir-manifests-") : cache;
    try (ReplicationServer server = ReplicationServer.start(options(containers, folder, tls))) {
      announce(server, tls != null, containers);
      awaitSignal(server);
      return ExitCode.OK;
    } catch (BindException e) {
      spec.commandLine()
          .getErr()
          .println(
              "weir replicate serve: %s cannot be used (%s); choose another --listen"
                  .formatted(listen, e.getMessage()));
      return ExitCode.SOFTWARE;
    } finally {
      if (cache == null) {
        Deletion.delete(folder);
      }
    }
  }

  private ServeOptions options(Map<String, Path> containers, Path folder, @Nullable SslContext tls)
      throws IOException {
    ServeOptions options =
        new ServeOptions(
            listen.address(),
            containers,
            folder,
            budget.bytes(),
            new RateLimit(rate == null ? 0 : rate.bytes()),
            tls,
            ServeOptions.DEFAULT_PROGRESS_LIMIT);
    return imports == null
        ? options
        : options.importing(
            new ImportOptions(imports, ServeOptions.DEFAULT_PROGRESS_LIMIT, FetchOptions::usable),
            importClients == null ? null : ClientList.read(importClients));
  }

  private static boolean isLoopback(@Nullable InetAddress address) {
    return address != null && address.isLoopbackAddress();
  }

  private void requireSafeImports() {
    if (importClients != null && (imports == null || certificate == null)) {
      throw new ParameterException(
          spec.commandLine(), "--import-clients needs --imports, --tls-cert and --tls-key");
    }
    if (imports != null
        && importClients == null
        && !insecure
        && !isLoopback(listen.address().getAddress())) {
      throw new ParameterException(
          spec.commandLine(),
          "--imports at %s would let everybody write; say who may, by --import-clients and TLS, or"
                  .formatted(listen)
              + " --insecure");
    }
  }

  private @Nullable SslContext tls() throws IOException {
    if (certificate != null && key != null) {
      return TlsContexts.server(certificate, key, clientCa, importClients);
    }
    if (certificate != null || key != null || clientCa != null) {
      throw new ParameterException(
          spec.commandLine(),
          "--tls-cert and --tls-key belong together, and --client-ca needs both");
    }
    return null;
  }

  private Map<String, Path> containers() {
    Map<String, Path> containers = new TreeMap<>();
    for (String argument : directories) {
      int equals = argument.indexOf('=');
      Path directory = Path.of(argument.substring(equals + 1)).toAbsolutePath().normalize();
      String name =
          equals < 0 ? String.valueOf(directory.getFileName()) : argument.substring(0, equals);
      if (!ContainerName.isValid(name)) {
        throw new ParameterException(
            spec.commandLine(),
            "'%s' is no name for a container (%s); give it another: NAME=%s"
                .formatted(name, ContainerName.RULE, directory));
      }
      if (!Files.isDirectory(directory)) {
        throw new ParameterException(spec.commandLine(), directory + " is no directory");
      }
      if (containers.put(name, directory) != null) {
        throw new ParameterException(
            spec.commandLine(),
            "two containers have the name '%s'; give one another: NAME=%s"
                .formatted(name, directory));
      }
    }
    return containers;
  }

  private void announce(ReplicationServer server, boolean secure, Map<String, Path> containers) {
    PrintWriter out = spec.commandLine().getOut();
    InetSocketAddress address = server.address();
    String url =
        "%s://%s:%d/"
            .formatted(
                secure ? "https" : "http",
                address.getAddress().getHostAddress(),
                address.getPort());
    containers.forEach(
        (name, directory) -> out.printf("weir: offering %s as %s%s%n", directory, url, name));
    if (imports != null) {
      out.printf("weir: taking imports into %s at %simports%n", imports, url);
    }
    if (!secure && !address.getAddress().isLoopbackAddress()) {
      out.printf("weir: anybody who reaches %s can read all of it; use --client-ca%n", url);
    }
    out.flush();
  }

  private static void awaitSignal(ReplicationServer server) throws InterruptedException {
    CountDownLatch signal = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  signal.countDown();
                  server.close();
                  closed.countDown();
                },
                "weir-stop"));
    signal.await();
    closed.await();
  }
}
