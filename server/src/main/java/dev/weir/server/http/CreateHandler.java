package dev.weir.server.http;

import dev.weir.streams.CreateOutcome;
import dev.weir.streams.CreateRequest;
import dev.weir.streams.Payload;
import dev.weir.streams.Stream;
import dev.weir.streams.StreamConfig;
import dev.weir.streams.StreamState;
import dev.weir.streams.StreamStore;
import dev.weir.streams.protocol.Offset;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import org.jspecify.annotations.Nullable;

/** PUT: creates a stream, with its first bytes, or as a fork of another. */
final class CreateHandler extends UploadHandler {
  private static final String DEFAULT_CONTENT_TYPE = "application/octet-stream";

  /** The body of a fork whose point is being found: no I/O thread has it. */
  private @Nullable Payload waiting;

  private @Nullable ForkSearch search;

  CreateHandler(Services services, String path) {
    super(services, path);
  }

  @Override
  void judge(Exchange exchange) throws ProtocolException {
    HttpHeaders headers = exchange.request().headers();
    CreateRequest.ForkRequest fork = RequestHeaders.fork(headers);
    // Looked up once: what the body is taken for and the point are of the same stream.
    Stream source = fork == null ? null : services.store().find(fork.sourcePath());
    String contentType = RequestHeaders.contentType(headers);
    CreateRequest request =
        new CreateRequest(
            path,
            contentType != null ? contentType : fork == null ? DEFAULT_CONTENT_TYPE : null,
            RequestHeaders.ttlSeconds(headers),
            headers.get(Headers.EXPIRES_AT),
            RequestHeaders.expiresAtMillis(headers),
            Headers.isTrue(headers, Headers.CLOSED),
            fork);
    boolean json = isJson(request, source);
    CreateOutcome refusal = refuseEarly(exchange.contentLength(), request, source);
    if (refusal != null) {
      answer(exchange, refusal);
      return;
    }
    receive(exchange, json, payload -> resolveFork(exchange, request, source, payload));
  }

  /** Small bodies stay in memory: they are taken, and judged once. */
  private @Nullable CreateOutcome refuseEarly(
      long length, CreateRequest request, @Nullable Stream source) {
    return length >= 0 && length <= StreamStore.MAX_INLINE_BYTES
        ? null
        : services.store().refuseEarly(request, source);
  }

  private static boolean isJson(CreateRequest request, @Nullable Stream source) {
    if (request.contentType() != null) {
      return StreamConfig.of(request.contentType()).isJson();
    }
    return source != null && source.state().config().isJson();
  }

  /** Finds the fork's point, which may take reading the source. */
  private void resolveFork(
      Exchange exchange, CreateRequest request, @Nullable Stream source, Payload payload) {
    CreateRequest.ForkRequest fork = request.fork();
    if (fork == null) {
      create(exchange, request, payload);
      return;
    }
    waiting = payload;
    ForkSearch begun =
        new ForkSearch(services, source, fork, new PointListener(exchange, request, source));
    search = begun;
    services.io().execute(begun);
  }

  /** Does nothing when the exchange is over by now. */
  private void createWaiting(Exchange exchange, CreateRequest resolved) {
    Payload payload = waiting;
    waiting = null;
    if (payload != null) {
      create(exchange, resolved, payload);
    }
  }

  private void refuseWaiting(Exchange exchange, Throwable failure, @Nullable Stream source) {
    releaseWaiting();
    Refusals.refuseRead(exchange, failure, source);
  }

  private void releaseWaiting() {
    Payload payload = waiting;
    waiting = null;
    if (payload != null) {
      payload.release();
    }
  }

  @Override
  public void close() {
    try {
      if (search != null) {
        search.cancel();
      }
      releaseWaiting();
    } finally {
      super.close();
    }
  }

  private void create(Exchange exchange, CreateRequest request, Payload payload) {
    exchange.whenDone(
        services.store().create(request, payload), outcome -> answer(exchange, outcome));
  }

  private static void answer(Exchange exchange, CreateOutcome outcome) {
    switch (outcome) {
      case CreateOutcome.Created created -> {
        HttpHeaders headers = describe(created.state());
        headers.set(HttpHeaderNames.LOCATION, location(exchange));
        exchange.respond(HttpResponseStatus.CREATED, headers);
      }
      case CreateOutcome.Exists exists ->
          exchange.respond(HttpResponseStatus.OK, describe(exists.state()));
      case CreateOutcome.Conflict conflict ->
          exchange.refuse(409, conflict.reason(), EmptyHttpHeaders.INSTANCE);
      case CreateOutcome.SourceNotFound missing ->
          exchange.refuse(404, missing.reason(), EmptyHttpHeaders.INSTANCE);
      case CreateOutcome.BadForkPoint bad ->
          exchange.refuse(400, bad.reason(), EmptyHttpHeaders.INSTANCE);
    }
  }

  private static HttpHeaders describe(StreamState state) {
    HttpHeaders headers =
        Headers.create()
            .set(HttpHeaderNames.CONTENT_TYPE, state.config().contentType())
            .set(Headers.NEXT_OFFSET, Offset.format(state.tailOffset()));
    if (state.closed()) {
      headers.set(Headers.CLOSED, "true");
    }
    return headers;
  }

  /** A target that names its host has the last word on it (RFC 9112, 3.2.2). */
  private static String location(Exchange exchange) {
    String uri = exchange.request().uri();
    int query = uri.indexOf('?');
    String target = query < 0 ? uri : uri.substring(0, query);
    if (!target.startsWith("/")) {
      return target;
    }
    String host = exchange.request().headers().get(HttpHeaderNames.HOST);
    return host == null || host.isEmpty() ? target : exchange.scheme() + "://" + host + target;
  }

  /** Takes what was found to the event loop. */
  private final class PointListener implements ForkSearch.Listener {
    private final Exchange exchange;
    private final CreateRequest request;
    private final @Nullable Stream source;

    PointListener(Exchange exchange, CreateRequest request, @Nullable Stream source) {
      this.exchange = exchange;
      this.request = request;
      this.source = source;
    }

    @Override
    public void found(CreateRequest.ForkRequest resolved) {
      CreateRequest whole = request.with(resolved);
      exchange.onLoop(() -> createWaiting(exchange, whole));
    }

    /** A client that goes is not searched for any longer, nor is one that only ends its side. */
    @Override
    public void takesLong() {
      exchange.onLoop(() -> {
        if (waiting != null) {
          exchange.watchForClose();
        }
      });
    }

    @Override
    public void failed(Throwable cause) {
      exchange.tellLoop(() -> refuseWaiting(exchange, cause, source));
    }
  }
}
