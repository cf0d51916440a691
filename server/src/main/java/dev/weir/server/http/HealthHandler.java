package dev.weir.server.http;

import dev.weir.streams.StoreStats;
import io.netty.handler.codec.http.EmptyHttpHeaders;

/** Says whether the node does all that it is for: 200 if so, 503 while it takes no changes. */
record HealthHandler(StoreStats store) implements ExchangeHandler {
  @Override
  public void start(Exchange exchange) {
    if (store.isFailed()) {
      exchange.refuse(
          503,
          "the node takes no changes until it is restarted; its log has the reason",
          EmptyHttpHeaders.INSTANCE);
    } else {
      new TextHandler(TextHandler.PLAIN, () -> "well\n").start(exchange);
    }
  }
}
