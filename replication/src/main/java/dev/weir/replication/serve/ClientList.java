package dev.weir.replication.serve;

import dev.weir.replication.manifest.Sha256;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import javax.net.ssl.SSLPeerUnverifiedException;

/** The clients that may push, by the SHA-256 of their certificates. */
public final class ClientList {
  private final Set<String> allowed;

  private ClientList(Set<String> allowed) {
    this.allowed = allowed;
  }

  /**
   * Reads certificates in PEM, one after the other.
   *
   * @throws IOException when there is none
   */
  public static ClientList read(Path file) throws IOException {
    Set<String> allowed = new HashSet<>();
    try (InputStream in = Files.newInputStream(file)) {
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        allowed.add(fingerprint(certificate));
      }
    } catch (CertificateException e) {
      throw new IOException(file + " has no certificates in PEM: " + e.getMessage(), e);
    }
    if (allowed.isEmpty()) {
      throw new IOException(file + " has no certificate; name a file in PEM");
    }
    return new ClientList(Set.copyOf(allowed));
  }

  /** Whether a connection's client has shown one of them. */
  boolean allows(ChannelHandlerContext ctx) {
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    if (tls == null) {
      return false;
    }
    try {
      return allowed.contains(fingerprint(tls.engine().getSession().getPeerCertificates()[0]));
    } catch (SSLPeerUnverifiedException | CertificateException none) {
      return false;
    }
  }

  private static String fingerprint(Certificate certificate) throws CertificateException {
    return HexFormat.of().formatHex(Sha256.start().digest(certificate.getEncoded()));
  }
}
