package dev.weir.server.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * What a node proves who it is with.
 *
 * @param chain its own certificate first
 * @param key of that certificate
 */
public record TlsCredentials(List<X509Certificate> chain, PrivateKey key) {
  private static final System.Logger LOG = System.getLogger(TlsCredentials.class.getName());

  /** Copies the list. */
  public TlsCredentials {
    chain = List.copyOf(chain);
  }

  /**
   * Reads both files, in PEM, and checks that they belong together. A certificate whose time is not
   * now is used all the same, with a warning in the log.
   *
   * @throws TlsFileException when a file is missing or no such thing, or they do not fit
   */
  public static TlsCredentials read(Path certificate, Path key) throws TlsFileException {
    List<X509Certificate> chain = PemFiles.certificates(certificate);
    X509Certificate own = chain.getFirst();
    String algorithm = own.getPublicKey().getAlgorithm();
    String signature =
        switch (algorithm) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default ->
              throw new TlsFileException(
                  "%s has a key of the kind %s; RSA and EC are understood"
                      .formatted(certificate, algorithm));
        };
    PrivateKey secret = PemFiles.key(key, algorithm);
    if (!belongTogether(own, secret, signature)) {
      throw new TlsFileException(
          "%s is not the key of the first certificate in %s".formatted(key, certificate));
    }
    try {
      own.checkValidity();
    } catch (CertificateException e) {
      LOG.log(
          System.Logger.Level.WARNING, "clients will refuse {0}: {1}", certificate, e.getMessage());
    }
    return new TlsCredentials(chain, secret);
  }

  private static boolean belongTogether(
      X509Certificate certificate, PrivateKey key, String algorithm) {
    try {
      byte[] message = {1, 2, 3, 4};
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(message);
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      signature.update(message);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
