package dev.weir.server.http;

import dev.weir.server.console.ConsoleAccess;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets only those to the console who may look at it. A client counts as one of this machine if its
 * connection comes from loopback, it names the node as loopback (a page of elsewhere whose name was
 * bent to 127.0.0.1 does not), and no proxy says that it speaks for somebody else.
 */
final class ConsoleGuard {
  /** What proxies add. */
  private static final List<String> FORWARDED =
      List.of("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via");

  private final ConsoleAccess access;

  ConsoleGuard(ConsoleAccess access) {
    this.access = access;
  }

  /** A handler in front of another: everything goes through to it once a request is let in. */
  ExchangeHandler before(ExchangeHandler handler) {
    if (access == ConsoleAccess.ANYWHERE) {
      return handler;
    }
    if (access == ConsoleAccess.OFF) {
      return exchange ->
          exchange.refuse(
              new ProtocolException(
                  404, "the console is off; start the node with --console loopback"),
              EmptyHttpHeaders.INSTANCE);
    }
    return new Guarded(handler);
  }

  static boolean isLocal(SocketAddress peer, HttpHeaders headers) {
    return peer instanceof InetSocketAddress address
        && address.getAddress() != null
        && address.getAddress().isLoopbackAddress()
        && isLoopbackName(headers.get(HttpHeaderNames.HOST))
        && FORWARDED.stream().noneMatch(headers::contains);
  }

  /** Whether a Host header names this machine; HTTP/1.0 has none. */
  private static boolean isLoopbackName(@Nullable String host) {
    Authority named = host == null ? null : Authority.parse(host, /* defaultPort= */ 0);
    return host == null || (named != null && named.isLoopback());
  }

  /** Decides when the request comes. */
  private static final class Guarded implements ExchangeHandler {
    private final ExchangeHandler handler;
    private boolean letIn;

    Guarded(ExchangeHandler handler) {
      this.handler = handler;
    }

    @Override
    public void start(Exchange exchange) {
      if (isLocal(exchange.peer(), exchange.request().headers())) {
        letIn = true;
        handler.start(exchange);
      } else {
        exchange.refuse(
            new ProtocolException(
                403,
                "the console is for clients on this machine, under the name localhost;"
                    + " --console anywhere opens it to whoever reaches the node"),
            EmptyHttpHeaders.INSTANCE);
      }
    }

    @Override
    public void writable() {
      if (letIn) {
        handler.writable();
      }
    }

    @Override
    public void drain() {
      if (letIn) {
        handler.drain();
      }
    }

    @Override
    public void close() {
      if (letIn) {
        handler.close();
      }
    }
  }
}
