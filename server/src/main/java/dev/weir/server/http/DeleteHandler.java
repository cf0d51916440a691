package dev.weir.server.http;

import dev.weir.streams.DeleteOutcome;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;

/** DELETE: removes a stream with all its bytes. */
record DeleteHandler(Services services, String path) implements ExchangeHandler {
  @Override
  public void start(Exchange exchange) {
    exchange.whenDone(services.store().delete(path), outcome -> answer(exchange, outcome));
  }

  private static void answer(Exchange exchange, DeleteOutcome outcome) {
    switch (outcome) {
      case DELETED -> exchange.respond(HttpResponseStatus.NO_CONTENT, EmptyHttpHeaders.INSTANCE);
      case NOT_FOUND -> exchange.refuse(404, "there is no such stream", EmptyHttpHeaders.INSTANCE);
      case GONE ->
          exchange.refuse(
              410,
              "the stream was deleted; it is kept for its forks only",
              EmptyHttpHeaders.INSTANCE);
    }
  }
}
