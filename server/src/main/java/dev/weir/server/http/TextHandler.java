package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** A page of text made on the spot. */
record TextHandler(String contentType, Supplier<String> text) implements ExchangeHandler {
  static final String PLAIN = "text/plain; charset=utf-8";

  @Override
  public void start(Exchange exchange) {
    ByteBuf body =
        ByteBufUtil.encodeString(
            exchange.allocator(), CharBuffer.wrap(text.get()), StandardCharsets.UTF_8);
    exchange.respond(
        HttpResponseStatus.OK,
        Headers.create()
            .set(HttpHeaderNames.CONTENT_TYPE, contentType)
            .set(HttpHeaderNames.CACHE_CONTROL, "no-store"),
        body);
  }
}
