package dev.weir.netty;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate for localhost, made by the JDK's keytool. */
public record TestCertificate(KeyStore keys) {
  private static final String PASSWORD = "password";

  public static TestCertificate create(Path directory) throws Exception {
    Path file = directory.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "test",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IllegalStateException("keytool failed: " + output);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return new TestCertificate(keys);
  }

  /** To be released, unless {@code provider} is the JDK's. */
  public SslContext server(SslProvider provider) throws Exception {
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, PASSWORD.toCharArray());
    return SslContextBuilder.forServer(factory).sslProvider(provider).build();
  }

  /** Trusts this certificate, for any name. */
  public SslContext client() throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("test", keys.getCertificate("test"));
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    return SslContextBuilder.forClient()
        .sslProvider(SslProvider.JDK)
        .trustManager(factory)
        .endpointIdentificationAlgorithm("")
        .build();
  }

  /**
   * A client's socket that shakes hands over another at once, and closes that when it is closed.
   */
  public Socket secure(Socket plain) throws Exception {
    SSLSocket secured =
        (SSLSocket)
            ((JdkSslContext) client())
                .context()
                .getSocketFactory()
                .createSocket(plain, "localhost", plain.getPort(), /* autoClose= */ true);
    secured.startHandshake();
    return secured;
  }
}
