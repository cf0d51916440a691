package dev.weir.server.http;

import dev.weir.memory.view.MapWindow;
import dev.weir.server.console.Console;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A part of the page map: {@code ?region=runs&from=0&to=1048576&cells=1024}. */
record ConsolePages(Console console) implements ExchangeHandler {
  private static final int MAX_PARAMETERS = 8;

  /** The answer is some 64 KB at most: four bytes in base64 for each cell. */
  private static final int MAX_CELLS = 16 << 10;

  @Override
  public void start(Exchange exchange) {
    MapWindow window;
    try {
      window = parse(exchange.request().uri());
    } catch (ProtocolException e) {
      exchange.refuse(e, EmptyHttpHeaders.INSTANCE);
      return;
    }
    CompletableFuture<byte[]> made = console.pages(window);
    if (made == null) {
      exchange.refuse(
          503,
          "too many maps are being made",
          Headers.create().set(HttpHeaderNames.RETRY_AFTER, "1"));
      return;
    }
    exchange.whenDone(
        made,
        json ->
            exchange.respond(
                HttpResponseStatus.OK,
                ConsoleHeaders.of(ConsoleSnapshot.JSON, "no-store"),
                DirectBytes.of(json)));
  }

  static MapWindow parse(String uri) throws ProtocolException {
    try {
      Map<String, List<String>> query =
          new QueryStringDecoder(uri, StandardCharsets.UTF_8, /* hasPath= */ true, MAX_PARAMETERS)
              .parameters();
      long cells = number(query, "cells", 1024);
      if (cells > MAX_CELLS) {
        throw ProtocolException.badRequest("the parameter cells is over the limit of " + MAX_CELLS);
      }
      List<String> region = query.get("region");
      return new MapWindow(
          region == null ? null : region.getFirst(),
          number(query, "from", 0),
          number(query, "to", Long.MAX_VALUE),
          Math.toIntExact(cells));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw ProtocolException.badRequest("the query names no part of the map: " + e.getMessage());
    }
  }

  private static long number(Map<String, List<String>> query, String name, long otherwise)
      throws ProtocolException {
    List<String> values = query.get(name);
    try {
      return values == null ? otherwise : Long.parseLong(values.getFirst());
    } catch (NumberFormatException e) {
      throw ProtocolException.badRequest("the parameter " + name + " is not a number");
    }
  }
}
