package dev.weir.server.http;

import dev.weir.server.store.DeleteOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;

/** DELETE: removes a stream with all its bytes. */
record DeleteHandler(Services services, String path) implements ExchangeHandler {
  @Override
  public void start(Exchange exchange) {
    services
        .store()
        .delete(path)
        .whenComplete((outcome, error) ->
            exchange.onLoop(() -> {
              if (error != null) {
                Refusals.refuse(exchange, error);
              } else {
                answer(exchange, outcome);
              }
            }));
  }

  @Override
  public void body(ByteBuf piece, boolean last) {
    piece.release();
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
