package dev.weir.server.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/** Who encrypts. */
public enum TlsEngine {
  /** BoringSSL, from Netty's native library: works in direct buffers. */
  BORINGSSL(SslProvider.OPENSSL_REFCNT),
  /** The engine of the JDK, which is always there: encrypts into arrays. */
  JDK(SslProvider.JDK);

  private final SslProvider provider;

  TlsEngine(SslProvider provider) {
    this.provider = provider;
  }

  SslProvider provider() {
    return provider;
  }

  /** Whether it can be used in this process. */
  public boolean isAvailable() {
    return this == JDK || OpenSsl.isAvailable();
  }

  /** BoringSSL where its native library loads, else the JDK's engine. */
  public static TlsEngine best() {
    return BORINGSSL.isAvailable() ? BORINGSSL : JDK;
  }
}
