package dev.weir.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.util.Set;

/**
 * Serves those who look after a node while it has no place for anybody else: its figures, its
 * console, and whether it is well. All other requests are answered 503. Each connection ends with
 * its answer, so that the next operator finds a place.
 */
final class OperatorRouter extends Router {
  private static final Set<String> SERVED = Set.of("metrics", "console", "health");

  private final Services services;

  OperatorRouter(Services services) {
    super(services);
    this.services = services;
  }

  @Override
  ExchangeHandler route(HttpRequest request) {
    return SERVED.contains(routeName(request)) ? super.route(request) : this::refuse;
  }

  private void refuse(Exchange exchange) {
    services.metrics().connectionRefused();
    exchange.refuse(
        503, FixedAnswer.TOO_MANY, Headers.create().set(HttpHeaderNames.RETRY_AFTER, "1"));
  }

  @Override
  boolean endsConnections() {
    return true;
  }
}
