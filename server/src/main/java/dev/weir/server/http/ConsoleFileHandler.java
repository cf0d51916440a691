package dev.weir.server.http;

import dev.weir.server.console.ConsoleFiles.ConsoleFile;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;

/** A file of the console. */
record ConsoleFileHandler(ConsoleFile file) implements ExchangeHandler {
  @Override
  public void start(Exchange exchange) {
    HttpHeaders headers =
        ConsoleHeaders.of(file.type(), "no-cache").set(HttpHeaderNames.ETAG, file.tag());
    if (EntityTag.isKnown(exchange.request(), file.tag())) {
      exchange.respond(HttpResponseStatus.NOT_MODIFIED, headers);
    } else {
      exchange.respond(HttpResponseStatus.OK, headers, file.bytes());
    }
  }
}
