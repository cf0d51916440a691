package dev.weir.server;

import dev.weir.replication.command.HostAndPort;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code weir serve} that offer the node's store to standbys. */
final class ReplicationOptions {
  private static final long MIN_BUDGET_BYTES = 4 << 20;

  @Option(
      names = "--replicate-listen",
      paramLabel = "HOST:PORT",
      description =
          "Offer what is flushed into a directory as the container 'store', for 'weir replicate"
              + " fetch'; port 0 takes a free one. Default: it is not offered.",
      converter = HostAndPort.Converter.class)
  private @Nullable HostAndPort listen;

  @Option(
      names = "--replicate-budget",
      paramLabel = "BYTES",
      description =
          "Most resident buffer memory for it, beside --budget; each connection counts for 1M."
              + " Default: 64M.",
      converter = ByteSize.Converter.class)
  private @Nullable ByteSize budget;

  @Option(
      names = "--replicate-rate",
      paramLabel = "BYTES",
      description = "Most bytes a second of it, over all connections, as 100M. Default: no limit.",
      converter = ByteSize.Converter.class)
  private @Nullable ByteSize rate;

  @Option(
      names = "--replicate-tls-cert",
      paramLabel = "FILE",
      description = "Offer it by https with this certificate, or chain of them, in PEM.")
  private @Nullable Path certificate;

  @Option(
      names = "--replicate-tls-key",
      paramLabel = "FILE",
      description = "The key of that certificate, in PEM (PKCS #8).")
  private @Nullable Path key;

  @Option(
      names = "--replicate-client-ca",
      paramLabel = "FILE",
      description = "Let in only standbys with a certificate of this authority, in PEM.")
  private @Nullable Path clientCa;

  ReplicationOptions() {}

  /**
   * What the options ask for; null where nothing is offered.
   *
   * @param isRemote whether the store is in S3
   * @throws IOException which says what is wrong with which file
   */
  @Nullable ReplicationSettings settings(CommandSpec spec, boolean isRemote) throws IOException {
    HostAndPort address = listen;
    if (address == null) {
      check(
          spec,
          budget == null && rate == null && certificate == null && key == null && clientCa == null,
          "--replicate-budget, --replicate-rate, --replicate-tls-cert, --replicate-tls-key and"
              + " --replicate-client-ca need --replicate-listen: nothing is offered");
      return null;
    }
    check(
        spec,
        !isRemote,
        "--replicate-listen offers a store in a directory; one in S3 is copied by its bucket");
    long budgetBytes = budget == null ? 64 << 20 : budget.bytes();
    check(spec, budgetBytes >= MIN_BUDGET_BYTES, "--replicate-budget must be at least 4M");
    return new ReplicationSettings(
        address.address(), budgetBytes, new RateLimit(rate == null ? 0 : rate.bytes()), tls(spec));
  }

  private @Nullable SslContext tls(CommandSpec spec) throws IOException {
    Path ownCertificate = certificate;
    Path ownKey = key;
    if (ownCertificate != null && ownKey != null) {
      return TlsContexts.server(ownCertificate, ownKey, clientCa);
    }
    check(
        spec,
        ownCertificate == null && ownKey == null && clientCa == null,
        "--replicate-tls-cert and --replicate-tls-key belong together, and"
            + " --replicate-client-ca needs both");
    return null;
  }

  private static void check(CommandSpec spec, boolean holds, String reason) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), reason);
    }
  }
}
