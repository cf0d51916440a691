package dev.weir.netty.http;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.netty.TestCertificate;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import org.jspecify.annotations.Nullable;

/** Who encrypts what a server sends. */
public enum Engine {
  /** Nobody. */
  NONE,
  /** In arrays, with Netty as the one who copies. */
  JDK,
  /** In direct buffers, where its native library is there for the platform. */
  BORINGSSL;

  /** For a {@link FaultyServer}, which releases it; null for {@link #NONE}. */
  public @Nullable SslContext server(TestCertificate certificate) throws Exception {
    assumeTrue(
        this != BORINGSSL || OpenSsl.isAvailable(),
        "platforms for which netty-tcnative's library is on the class path only");
    return switch (this) {
      case NONE -> null;
      case JDK -> certificate.server(SslProvider.JDK);
      case BORINGSSL -> certificate.server(SslProvider.OPENSSL_REFCNT);
    };
  }
}
