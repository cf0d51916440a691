package dev.weir.server.http;

import dev.weir.server.console.Console;
import dev.weir.server.console.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.concurrent.RejectedExecutionException;

/** The figures as one JSON object. */
record ConsoleSnapshot(Console console) implements ExchangeHandler {
  static final String JSON = "application/json";

  @Override
  public void start(Exchange exchange) {
    console
        .frame()
        .whenComplete((frame, failure) -> {
          if (failure != null) {
            exchange.onLoop(() -> Refusals.refuse(exchange, failure));
          } else {
            send(exchange, frame);
          }
        });
  }

  private static void send(Exchange exchange, Frame frame) {
    ByteBuf json = frame.json();
    frame.release();
    try {
      exchange.onLoop(
          () -> exchange.respond(HttpResponseStatus.OK, ConsoleHeaders.of(JSON, "no-store"), json));
    } catch (RejectedExecutionException ended) {
      // The loop takes no more tasks: nobody is left to answer.
      json.release();
    }
  }
}
