package dev.weir.server;

import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.AccessPolicy;
import dev.weir.server.http.Sockets;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsFileException;
import dev.weir.streams.DataDirectoryException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir serve}: starts the node and keeps it running until SIGTERM or Ctrl-C. */
@Command(
    name = "serve",
    description = "Starts the node: HTTP streams in bounded memory, on loopback.",
    footer = {
      "",
      "Examples:",
      "  weir serve",
      "  weir serve --port 4437 --data ./weir-data --budget 256M",
      "  weir serve --store s3://bucket/weir --flush-every 10s",
      "  weir serve --tls-cert cert.pem --tls-key key.pem",
      "  weir serve --compression zstd:1,gzip:4",
      "  weir serve --replicate-listen 127.0.0.1:4438",
      "  weir serve --store /standby/store --data ./new-data --without-wal --take-over",
      "  weir serve --allow-host weir.example.org --allow-origin https://app.example.org",
      "  curl -X PUT -H 'Content-Type: text/plain' http://localhost:4437/v1/stream/hello",
      "",
      "SIGTERM or Ctrl-C lets requests in progress end, for at most 10 s, and exits with 0."
    })
public final class ServeCommand implements Callable<Integer> {
  private static final long MAX_SEND_BUFFER_BYTES = 64 << 20;

  /** The smallest budget in which 16 connections can all be busy. */
  private static final long MIN_BUDGET_BYTES = 16 << 20;

  private static final long MAX_BUDGET_BYTES = 1L << 40;
  private static final int MAX_PORT = 65_535;
  private static final int MAX_LEAK_AGE_SECONDS = 86_400;
  private static final int MAX_EVENT_LOOPS = 1024;
  private static final Duration DRAIN_DEADLINE = Duration.ofSeconds(10);

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
      converter = ByteSize.Converter.class,
      defaultValue = "256M")
  private ByteSize budget;

  @Option(
      names = "--console",
      paramLabel = "WHO",
      description =
          "Who may look at the console, /_weir/: ${COMPLETION-CANDIDATES}."
              + " Default: ${DEFAULT-VALUE}.",
      converter = ConsoleAccessConverter.class,
      completionCandidates = ConsoleAccessConverter.Names.class,
      defaultValue = "loopback")
  private ConsoleAccess console;

  @Option(
      names = "--profile",
      paramLabel = "BYTES",
      description =
          "One sample of the live profile in so many allocated bytes, from 4K to 1G, or off."
              + " Default: ${DEFAULT-VALUE}.",
      converter = SampleDistance.Converter.class,
      defaultValue = "512K")
  private SampleDistance profile;

  @Option(
      names = "--leak-age",
      paramLabel = "SECONDS",
      description =
          "Memory that is older and grows is shown as a suspected leak. Default: ${DEFAULT-VALUE}.",
      defaultValue = "30")
  private int leakAgeSeconds;

  @Option(
      names = "--hardened",
      arity = "0..1",
      fallbackValue = "sampled",
      paramLabel = "RATE",
      description =
          "Finds the use of buffers after their release, for a sample of them, for one in so many,"
              + " or for all: sampled (the default rate), a number, full; or off.",
      converter = HardeningRate.Converter.class)
  private @Nullable HardeningRate hardened;

  @Option(
      names = "--transport",
      paramLabel = "HOW",
      description =
          "How sockets are watched: nio, epoll, io_uring, or auto, which is epoll on Linux, else"
              + " nio. What cannot be used here is replaced, with a warning."
              + " Default: ${DEFAULT-VALUE}.",
      converter = TransportConverter.class,
      defaultValue = "auto")
  private Transport transport;

  @Option(
      names = "--event-loops",
      paramLabel = "N",
      description = "Threads that serve connections. Default: one for each processor.")
  private int eventLoops = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--send-buffer",
      paramLabel = "BYTES",
      description =
          "What the kernel keeps of one connection until its client has it (SO_SNDBUF); 0, for"
              + " clients that are far away: the kernel decides. Default: ${DEFAULT-VALUE}.",
      converter = ByteSize.Converter.class,
      defaultValue = "256K")
  private ByteSize sendBuffer;

  @Option(
      names = "--compression",
      paramLabel = "CODINGS",
      description =
          "What is sent compressed to those who accept it, and decoded of bodies: zstd, br and"
              + " gzip, the preferred first, each with a level if it is to be another (zstd:1); or"
              + " off. Default: ${DEFAULT-VALUE}.",
      converter = CodingChoice.Converter.class,
      defaultValue = CodingChoice.DEFAULT_VALUE)
  private CodingChoice codings;

  @Mixin private StorageOptions storage;
  @Mixin private AccessOptions access;

  @Mixin private TlsOptions tls;
  @Mixin private ReplicationOptions replication;

  /** Made by picocli. */
  public ServeCommand() {}

  @Override
  public Integer call() throws IOException {
    checkOptions();
    AccessPolicy clients = access.policy(spec);
    StorageSettings streams = storage.settings(spec, budget.bytes());
    String tooFewFiles = FileDescriptors.refuse(FileDescriptors.limit());
    if (tooFewFiles != null) {
      return fail(tooFewFiles);
    }
    Node node;
    Node.TlsSettings security;
    ReplicationSettings copies;
    try {
      security = tls.settings(spec);
      copies = replication.settings(spec, streams.isRemote());
    } catch (TlsFileException | IOException e) {
      return fail(String.valueOf(e.getMessage()));
    }
    try {
      node =
          Node.start(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
              data,
              budget.bytes(),
              NodeParts.forBudget(budget.bytes())
                  .over(new Sockets(transport, eventLoops, (int) sendBuffer.bytes()))
                  .serving(clients)
                  .keeping(streams)
                  .replicating(copies)
                  .secured(security)
                  .hardened(hardened)
                  .coding(codings)
                  .with(
                      new Node.ConsoleSettings(
                          console,
                          Node.ConsoleSettings.DEFAULT.interval(),
                          profile.bytes(),
                          Duration.ofSeconds(leakAgeSeconds))));
    } catch (BindException e) {
      return fail(
          "port %d%s cannot be used (%s); choose another --port%s"
              .formatted(
                  port,
                  copies == null ? "" : " or %s".formatted(copies.address()),
                  e.getMessage(),
                  copies == null ? "" : ", or --replicate-listen"));
    } catch (DataDirectoryException e) {
      return fail(UnwritableDirectory.explain(data, e));
    }
    PrintWriter out = spec.commandLine().getOut();
    String url =
        "%s://%s:%d/"
            .formatted(
                security == null ? "http" : "https",
                node.address().getAddress().getHostAddress(),
                node.address().getPort());
    out.printf(
        "weir: listening on %s  data %s  budget %s%n",
        url, data.toAbsolutePath().normalize(), budget);
    if (console != ConsoleAccess.OFF) {
      out.printf("weir: console at %s_weir/%n", url);
    }
    if (copies != null) {
      announceCopies(out, node.replicationAddress(), copies.tls() != null);
    }
    out.flush();
    return runUntilSignalled(node, out, spec.commandLine().getErr());
  }

  private static void announceCopies(
      PrintWriter out, @Nullable InetSocketAddress address, boolean isSecure) {
    if (address == null) {
      return;
    }
    String url =
        "%s://%s:%d/%s"
            .formatted(
                isSecure ? "https" : "http",
                address.getAddress().getHostAddress(),
                address.getPort(),
                StoreReplication.CONTAINER);
    out.printf("weir: standbys can copy the store from %s%n", url);
    if (!isSecure && !address.getAddress().isLoopbackAddress()) {
      out.printf(
          "weir: anybody who reaches %s can read all of it; use --replicate-client-ca%n", url);
    }
  }

  private void checkOptions() {
    if (data.toString().isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "Invalid value for option '--data': it is empty; name a directory");
    }
    if (port < 0 || port > MAX_PORT) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid value for option '--port': " + port + " is not in 0.." + MAX_PORT);
    }
    if (eventLoops < 1 || eventLoops > MAX_EVENT_LOOPS) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid value for option '--event-loops': %d is not in 1..%d"
              .formatted(eventLoops, MAX_EVENT_LOOPS));
    }
    if (sendBuffer.bytes() > MAX_SEND_BUFFER_BYTES) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid value for option '--send-buffer': %s is more than 64M".formatted(sendBuffer));
    }
    if (leakAgeSeconds < 1 || leakAgeSeconds > MAX_LEAK_AGE_SECONDS) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid value for option '--leak-age': %d is not in 1..%d"
              .formatted(leakAgeSeconds, MAX_LEAK_AGE_SECONDS));
    }
    if (budget.bytes() < MIN_BUDGET_BYTES || budget.bytes() > MAX_BUDGET_BYTES) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid value for option '--budget': %s is too %s: it must be in %s..%s"
              .formatted(
                  budget,
                  budget.bytes() < MIN_BUDGET_BYTES ? "small" : "large",
                  new ByteSize(MIN_BUDGET_BYTES),
                  new ByteSize(MAX_BUDGET_BYTES)));
    }
  }

  private int fail(String reason) {
    spec.commandLine().getErr().println("weir serve: " + reason);
    return ExitCode.SOFTWARE;
  }

  /**
   * The JVM answers SIGTERM and Ctrl-C by running its shutdown hooks: the node is drained in one.
   *
   * @return how the process is to exit, where it was not signalled
   */
  static int runUntilSignalled(Node node, PrintWriter out, PrintWriter err) {
    Thread hook =
        Thread.ofPlatform()
            .name("weir-shutdown")
            .unstarted(() -> {
              int status = drain(node, out);
              // The JVM would exit with 143 or 130, although everything ended as it should.
              Runtime.getRuntime().halt(status);
            });
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      node.awaitLoss();
      Runtime.getRuntime().removeShutdownHook(hook);
      err.println(
          "weir serve: an event loop has ended, by the error that is logged above; the node ends,"
              + " since it would leave connections without an answer. Everything acknowledged is on"
              + " the disk");
      err.flush();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException shuttingDown) {
      // The hook has begun, and ends the process.
    }
    return ExitCode.SOFTWARE;
  }

  private static int drain(Node node, PrintWriter out) {
    try {
      boolean ended = node.stop(DRAIN_DEADLINE);
      out.println(
          ended
              ? "weir: stopped; everything acknowledged is on the disk"
              : "weir: stopped; requests still running after %d s were cut off"
                  .formatted(DRAIN_DEADLINE.toSeconds()));
      out.flush();
      return ExitCode.OK;
    } catch (IOException | RuntimeException e) {
      System.getLogger(ServeCommand.class.getName())
          .log(System.Logger.Level.ERROR, "stopping failed", e);
      return ExitCode.SOFTWARE;
    }
  }
}
