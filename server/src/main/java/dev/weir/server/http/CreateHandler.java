package dev.weir.server.http;

import dev.weir.server.protocol.JsonFlattener;
import dev.weir.server.protocol.Offset;
import dev.weir.server.protocol.ProtocolException;
import dev.weir.server.store.CreateOutcome;
import dev.weir.server.store.CreateRequest;
import dev.weir.server.store.Payload;
import dev.weir.server.store.Stream;
import dev.weir.server.store.StreamConfig;
import dev.weir.server.store.StreamState;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** PUT: creates a stream, with its first bytes, or as a fork of another. */
final class CreateHandler implements ExchangeHandler {
  private static final String DEFAULT_CONTENT_TYPE = "application/octet-stream";

  private final Services services;
  private final String path;
  private @Nullable BodyReceiver body;

  CreateHandler(Services services, String path) {
    this.services = services;
    this.path = path;
  }

  @Override
  public void start(Exchange exchange) {
    try {
      HttpHeaders headers = exchange.request().headers();
      if (exchange.contentLength() > services.limits().maxBodyBytes()) {
        throw new ProtocolException(
            413, "the body is over the limit of " + services.limits().maxBodyBytes() + " bytes");
      }
      CreateRequest.ForkRequest fork = RequestHeaders.fork(headers);
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
      JsonFlattener json = isJson(request) ? new JsonFlattener() : null;
      body =
          new BodyReceiver(
              services,
              exchange,
              json,
              payload -> resolveFork(exchange, request, payload),
              error -> fail(exchange, error));
      exchange.readBody();
    } catch (ProtocolException e) {
      exchange.refuse(e, EmptyHttpHeaders.INSTANCE);
    }
  }

  private boolean isJson(CreateRequest request) {
    CreateRequest.ForkRequest fork = request.fork();
    Stream source = fork == null ? null : services.store().find(fork.sourcePath());
    if (request.contentType() != null) {
      return StreamConfig.of(request.contentType()).isJson();
    }
    return source != null && source.state().config().isJson();
  }

  @Override
  public void body(ByteBuf piece, boolean last) {
    BodyReceiver receiver = body;
    if (receiver == null) {
      piece.release();
    } else {
      receiver.accept(piece, last);
    }
  }

  /** Finds the fork's point, which may take reading the source. */
  private void resolveFork(Exchange exchange, CreateRequest request, Payload payload) {
    CreateRequest.ForkRequest fork = request.fork();
    if (fork == null) {
      create(exchange, request, payload);
      return;
    }
    services
        .io()
        .execute(() -> {
          try {
            CreateRequest resolved = ForkPoints.resolve(services.store(), request, fork);
            exchange.onLoop(() -> create(exchange, resolved, payload));
          } catch (IOException | ProtocolException e) {
            payload.release();
            exchange.onLoop(() -> fail(exchange, e));
          }
        });
  }

  private void create(Exchange exchange, CreateRequest request, Payload payload) {
    services
        .store()
        .create(request, payload)
        .whenComplete((outcome, error) ->
            exchange.onLoop(() -> {
              if (error != null) {
                fail(exchange, error);
              } else {
                answer(exchange, outcome);
              }
            }));
  }

  private static void fail(Exchange exchange, Throwable error) {
    if (error instanceof ProtocolException refusal) {
      exchange.refuse(refusal, EmptyHttpHeaders.INSTANCE);
    } else {
      Refusals.refuse(exchange, error);
    }
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
          exchange.refuse(
              404, "there is no source stream " + missing.sourcePath(), EmptyHttpHeaders.INSTANCE);
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

  private static String location(Exchange exchange) {
    String uri = exchange.request().uri();
    int query = uri.indexOf('?');
    String target = query < 0 ? uri : uri.substring(0, query);
    String host = exchange.request().headers().get(HttpHeaderNames.HOST);
    return host == null || host.isEmpty() ? target : "http://" + host + target;
  }

  @Override
  public void close() {
    if (body != null) {
      body.abort();
    }
  }
}
