package dev.weir.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate for this machine, made by the JDK's keytool, and its files in PEM. */
record TestCertificate(KeyStore keys, Path certificate, Path key) {
  private static final String PASSWORD = "password";

  /**
   * Makes one.
   *
   * @param algorithm as keytool names it, with the size or curve: {@code EC -groupname secp256r1}
   */
  static TestCertificate create(Path directory, String algorithm) throws Exception {
    Files.createDirectories(directory);
    Path file = directory.resolve("keys.p12");
    String command =
        "-genkeypair -alias test -dname CN=localhost -ext SAN=dns:localhost,ip:127.0.0.1"
            + " -storetype PKCS12 -storepass %s -keystore %s -keyalg %s"
                .formatted(PASSWORD, file, algorithm);
    ProcessBuilder keytool = new ProcessBuilder(command.split(" ")).redirectErrorStream(true);
    keytool
        .command()
        .addFirst(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    Process process = keytool.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException("keytool failed: " + output);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return new TestCertificate(
        keys,
        write(
            directory.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate("test").getEncoded()),
        write(
            directory.resolve("key.pem"),
            "PRIVATE KEY",
            keys.getKey("test", PASSWORD.toCharArray()).getEncoded()));
  }

  static TestCertificate create(Path directory) throws Exception {
    return create(directory, "EC -groupname secp256r1");
  }

  static Path write(Path file, String type, byte[] der) throws IOException {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, lines, type));
  }

  /** For clients that trust this certificate alone. */
  SSLContext trusting() {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry("test", keys.getCertificate("test"));
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, factory.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the JDK has no TLS", e);
    }
  }
}
