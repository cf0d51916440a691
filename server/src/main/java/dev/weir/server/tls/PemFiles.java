package dev.weir.server.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and keys in PEM (RFC 7468), and says what is wrong with them. */
final class PemFiles {
  /** A chain of certificates has a few kilobytes. */
  private static final long MAX_FILE_BYTES = 1 << 20;

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  private static final String KEY = "PRIVATE KEY";

  private PemFiles() {}

  /** The certificates of a file, the node's own first. */
  static List<X509Certificate> certificates(Path file) throws TlsFileException {
    byte[] bytes = read(file, "certificate");
    if (!new String(bytes, StandardCharsets.ISO_8859_1).contains("-----BEGIN CERTIFICATE-----")) {
      throw new TlsFileException(
          file + " holds no certificate in PEM: a line '-----BEGIN CERTIFICATE-----' is missing");
    }
    try {
      List<X509Certificate> chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (chain.isEmpty()) {
        throw new TlsFileException(file + " holds no certificate");
      }
      return chain;
    } catch (CertificateException e) {
      throw new TlsFileException(file + " holds no valid certificate: " + e.getMessage(), e);
    }
  }

  /**
   * The one key of a file.
   *
   * @param algorithm of the certificate that the key is for
   */
  static PrivateKey key(Path file, String algorithm) throws TlsFileException {
    String text = new String(read(file, "key"), StandardCharsets.ISO_8859_1);
    Matcher block = BLOCK.matcher(text);
    String other = "";
    while (block.find()) {
      String type = block.group(1);
      if (type.equals(KEY)) {
        return decode(file, algorithm, block.group(2));
      }
      other = type;
    }
    if (other.equals("ENCRYPTED " + KEY)) {
      throw new TlsFileException(
          "%s holds a key that is encrypted; take the password off: openssl pkcs8 -in %s"
              .formatted(file, file.getFileName()));
    }
    if (other.endsWith(KEY)) {
      throw new TlsFileException(
          "%s holds a key as '%s'; make it PKCS #8: openssl pkcs8 -topk8 -nocrypt -in %s"
              .formatted(file, other, file.getFileName()));
    }
    throw new TlsFileException(
        file + " holds no key in PEM: a line '-----BEGIN PRIVATE KEY-----' is missing");
  }

  private static PrivateKey decode(Path file, String algorithm, String base64)
      throws TlsFileException {
    try {
      byte[] der = Base64.getMimeDecoder().decode(base64);
      return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsFileException(
          "%s holds no valid key of the certificate's kind, %s".formatted(file, algorithm), e);
    }
  }

  private static byte[] read(Path file, String what) throws TlsFileException {
    try {
      if (Files.isDirectory(file)) {
        throw new TlsFileException(file + " is a directory, not a " + what);
      }
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw new TlsFileException(file + " is too long for a " + what);
      }
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new TlsFileException(file + " does not exist", e);
    } catch (IOException e) {
      throw new TlsFileException(file + " cannot be read: " + e, e);
    }
  }
}
