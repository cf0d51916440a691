package dev.weir.replication.net;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** TLS of both sides from files in PEM: BoringSSL where its library loads, else the JDK's. */
public final class TlsContexts {
  private TlsContexts() {}

  /**
   * Of a server.
   *
   * @param clientCa of the clients that it lets in; null lets in all
   * @throws IOException which says what is wrong with which file
   */
  public static SslContext server(Path certificate, Path key, @Nullable Path clientCa)
      throws IOException {
    return server(certificate, key, clientCa, null);
  }

  /**
   * Of a server that takes imports.
   *
   * @param clientCa of the clients that it lets in; null lets in all
   * @param importClients certificates of those that may push, which are asked for; null for none
   * @throws IOException which says what is wrong with which file
   */
  public static SslContext server(
      Path certificate, Path key, @Nullable Path clientCa, @Nullable Path importClients)
      throws IOException {
    requireFiles(certificate, key, clientCa, importClients);
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(certificate.toFile(), key.toFile())
              .sslProvider(provider())
              .protocols("TLSv1.3", "TLSv1.2");
      if (clientCa != null) {
        builder.trustManager(clientCa.toFile()).clientAuth(ClientAuth.REQUIRE);
      } else if (importClients != null) {
        // Those that only read need none.
        builder.trustManager(importClients.toFile()).clientAuth(ClientAuth.OPTIONAL);
      }
      return builder.build();
    } catch (IllegalArgumentException | SSLException e) {
      throw unusable(certificate, key, clientCa, e);
    }
  }

  /**
   * Of a client, which checks the server's certificate and its name.
   *
   * @param ca that the server's certificate comes from; null for those of the JDK
   * @param certificate of its own, with {@code key}; null for none
   * @throws IOException which says what is wrong with which file
   */
  public static SslContext client(@Nullable Path ca, @Nullable Path certificate, @Nullable Path key)
      throws IOException {
    requireFiles(ca, certificate, key);
    try {
      SslContextBuilder builder =
          SslContextBuilder.forClient()
              .sslProvider(provider())
              .protocols("TLSv1.3", "TLSv1.2")
              .endpointIdentificationAlgorithm("HTTPS");
      if (ca != null) {
        builder.trustManager(ca.toFile());
      }
      if (certificate != null && key != null) {
        builder.keyManager(certificate.toFile(), key.toFile());
      }
      return builder.build();
    } catch (IllegalArgumentException | SSLException e) {
      throw unusable(certificate, key, ca, e);
    }
  }

  private static SslProvider provider() {
    return OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;
  }

  private static void requireFiles(@Nullable Path... files) throws IOException {
    for (Path file : files) {
      if (file != null && !Files.isReadable(file)) {
        throw new IOException(file + " cannot be read; name a file in PEM");
      }
    }
  }

  private static IOException unusable(
      @Nullable Path certificate, @Nullable Path key, @Nullable Path ca, Exception e) {
    return new IOException(
        "TLS cannot use the certificate %s, the key %s (PKCS #8) or the authority %s: %s"
            .formatted(certificate, key, ca, e.getMessage()),
        e);
  }
}
