package dev.weir.lab.replicate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A certificate and its key as files in PEM. */
record Certificate(Path certificate, Path key) {
  private static final int LINE = 64;

  /** Writes what a key store has, where it is made for one run. */
  static Certificate read(Path store, String password, Path folder) throws IOException {
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, password.toCharArray());
      return new Certificate(
          write(
              folder.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate("bench").getEncoded()),
          write(
              folder.resolve("key.pem"),
              "PRIVATE KEY",
              keys.getKey("bench", password.toCharArray()).getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static Path write(Path file, String type, byte[] der) throws IOException {
    String lines = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, lines, type));
  }
}
