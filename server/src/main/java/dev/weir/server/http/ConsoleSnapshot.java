package dev.weir.server.http;

import dev.weir.server.console.Console;
import dev.weir.server.console.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
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
            exchange.tellLoop(() -> Refusals.refuse(exchange, failure));
          } else {
            send(exchange, frame);
          }
        });
  }

  /** The frame goes with the answer, or at once: held for ever, it would count against the few. */
  static void send(Exchange exchange, Frame frame) {
    HttpHeaders headers = ConsoleHeaders.of(JSON, "no-store");
    ByteBuf json = frame.json();
    frame.release();
    try {
      exchange.onLoop(() -> exchange.respond(HttpResponseStatus.OK, headers, json));
    } catch (RejectedExecutionException loopHasEnded) {
      json.release();
    }
  }
}
