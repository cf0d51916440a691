package dev.weir.server.http;

import dev.weir.server.console.Console;
import dev.weir.server.console.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;

/** The figures as one JSON object. */
record ConsoleSnapshot(Console console) implements ExchangeHandler {
  static final String JSON = "application/json";

  @Override
  public void start(Exchange exchange) {
    console
        .frame()
        .whenComplete((frame, failure) -> {
          if (failure != null) {
            refuse(exchange, failure);
          } else {
            send(exchange, frame);
          }
        });
  }

  private static void refuse(Exchange exchange, Throwable failure) {
    try {
      exchange.onLoop(() -> Refusals.refuse(exchange, failure));
    } catch (Throwable unheard) {
      exchange.abortFromElsewhere(unheard);
    }
  }

  /** The frame goes with the answer, or at once: held for ever, it would count against the few. */
  static void send(Exchange exchange, Frame frame) {
    try {
      HttpHeaders headers = ConsoleHeaders.of(JSON, "no-store");
      hand(exchange, headers, frame.json());
    } catch (Throwable unheard) {
      exchange.abortFromElsewhere(unheard);
    } finally {
      frame.release();
    }
  }

  private static void hand(Exchange exchange, HttpHeaders headers, ByteBuf json) {
    try {
      exchange.onLoop(() -> exchange.respond(HttpResponseStatus.OK, headers, json));
    } catch (Throwable unheard) {
      json.release();
      throw unheard;
    }
  }
}
