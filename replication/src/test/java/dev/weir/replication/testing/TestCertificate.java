package dev.weir.replication.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/** A self-signed certificate for this machine, made by the JDK's keytool, and its files in PEM. */
public record TestCertificate(Path certificate, Path key) {
  private static final String PASSWORD = "password";

  /** Makes one in a directory. */
  public static TestCertificate create(Path directory) throws Exception {
    Files.createDirectories(directory);
    Path file = directory.resolve("keys.p12");
    String command =
        "-genkeypair -alias test -dname CN=localhost -ext SAN=dns:localhost,ip:127.0.0.1"
            + " -storetype PKCS12 -storepass %s -keystore %s -keyalg EC -groupname secp256r1"
                .formatted(PASSWORD, file);
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
        write(
            directory.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate("test").getEncoded()),
        write(
            directory.resolve("key.pem"),
            "PRIVATE KEY",
            keys.getKey("test", PASSWORD.toCharArray()).getEncoded()));
  }

  private static Path write(Path file, String type, byte[] der) throws IOException {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, lines, type));
  }
}
