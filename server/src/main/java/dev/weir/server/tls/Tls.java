package dev.weir.server.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLException;

/** TLS 1.2 and 1.3 for the connections of a node. Any thread may make handlers. */
public final class Tls implements AutoCloseable {
  /** The time that a client has from its connection to the end of the handshake. */
  public static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

  /** Sessions that clients may resume; each takes some hundred bytes. */
  private static final long MAX_SESSIONS = 4096;

  private static final long SESSION_SECONDS = 3600;

  /** A client that reads nothing, or has never shaken hands, holds up its own end for so long. */
  private static final long CLOSE_NOTIFY_MILLIS = 1000;

  /** The JDK's engine would let a client of TLS 1.2 have one handshake after the other. */
  private static final String NO_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

  private final SslContext context;
  private final TlsEngine engine;
  private final Duration handshakeTimeout;

  private Tls(SslContext context, TlsEngine engine, Duration handshakeTimeout) {
    this.context = context;
    this.engine = engine;
    this.handshakeTimeout = handshakeTimeout;
  }

  /**
   * Makes what all connections share.
   *
   * @throws TlsFileException when the engine does not take the credentials
   */
  public static Tls open(TlsCredentials credentials, TlsEngine engine, Duration handshakeTimeout)
      throws TlsFileException {
    if (System.getProperty(NO_RENEGOTIATION) == null) {
      // Read by the JDK when it shakes hands for the first time.
      System.setProperty(NO_RENEGOTIATION, "true");
    }
    try {
      SslContext context =
          SslContextBuilder.forServer(
                  credentials.key(), credentials.chain().toArray(X509Certificate[]::new))
              .sslProvider(engine.provider())
              .protocols("TLSv1.3", "TLSv1.2")
              .applicationProtocolConfig(
                  new ApplicationProtocolConfig(
                      ApplicationProtocolConfig.Protocol.ALPN,
                      ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                      ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                      ApplicationProtocolNames.HTTP_2,
                      ApplicationProtocolNames.HTTP_1_1))
              .sessionCacheSize(MAX_SESSIONS)
              .sessionTimeout(SESSION_SECONDS)
              .build();
      return new Tls(context, engine, handshakeTimeout);
    } catch (SSLException | IllegalArgumentException e) {
      throw new TlsFileException(
          "%s does not take the certificate: %s".formatted(engine, e.getMessage()), e);
    }
  }

  /** Who encrypts. */
  public TlsEngine engine() {
    return engine;
  }

  /** A handler for one connection, whose buffers come from {@code allocator}. */
  public SslHandler newHandler(ByteBufAllocator allocator) {
    SslHandler handler = context.newHandler(allocator);
    handler.setHandshakeTimeoutMillis(handshakeTimeout.toMillis());
    handler.setCloseNotifyFlushTimeoutMillis(CLOSE_NOTIFY_MILLIS);
    return handler;
  }

  /** Lets go of the engine's memory. Handlers made before stay usable. */
  @Override
  public void close() {
    ReferenceCountUtil.release(context);
  }
}
