package dev.weir.server.http;

import dev.weir.streams.Stream;
import dev.weir.streams.StreamConfig;
import dev.weir.streams.StreamState;
import dev.weir.streams.protocol.Offset;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;

/** HEAD: what a stream is, without its bytes. */
record HeadHandler(Services services, String path) implements ExchangeHandler {
  @Override
  public void start(Exchange exchange) {
    Stream stream = services.store().find(path);
    if (stream == null) {
      exchange.refuse(404, "there is no such stream", EmptyHttpHeaders.INSTANCE);
      return;
    }
    StreamState state = stream.state();
    if (state.softDeleted()) {
      exchange.refuse(
          410, "the stream was deleted; it is kept for its forks only", EmptyHttpHeaders.INSTANCE);
      return;
    }
    HttpHeaders headers =
        Headers.create()
            .set(HttpHeaderNames.CONTENT_TYPE, state.config().contentType())
            .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
            .set(HttpHeaderNames.CONTENT_LENGTH, ReadHandler.contentBytes(state, 0))
            .set(
                HttpHeaderNames.ETAG,
                EntityTag.of(state, services.store().epoch(), 0, state.tailOffset()))
            .set(Headers.NEXT_OFFSET, Offset.format(state.tailOffset()));
    if (state.closed()) {
      headers.set(Headers.CLOSED, "true");
    }
    if (state.config().ttlSeconds() != StreamConfig.NONE) {
      headers.set(Headers.TTL, state.config().ttlSeconds());
    }
    String expiresAt = state.config().expiresAt();
    if (expiresAt != null) {
      headers.set(Headers.EXPIRES_AT, expiresAt);
    }
    if (state.tailOffset() == 0) {
      exchange.respond(HttpResponseStatus.OK, headers);
    } else {
      // As a read is answered, which comes in parts: what becomes of it depends on that.
      exchange.begin(HttpResponseStatus.OK, headers);
      exchange.end();
    }
  }
}
