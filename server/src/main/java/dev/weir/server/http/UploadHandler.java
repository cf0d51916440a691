package dev.weir.server.http;

import dev.weir.compression.ContentCoding;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.http.DecodedContent;
import dev.weir.compression.http.RequestOptions;
import dev.weir.compression.http.RequestRefusal;
import dev.weir.streams.Payload;
import dev.weir.streams.StoreFailedException;
import dev.weir.streams.protocol.JsonFlattener;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What requests with a body have in common: the head is judged first, then the body is taken. */
abstract class UploadHandler implements ExchangeHandler {
  final Services services;
  final String path;
  private @Nullable ContentCoding coding;
  private @Nullable DecodedBody decoded;
  private @Nullable BodyReceiver body;

  UploadHandler(Services services, String path) {
    this.services = services;
    this.path = path;
  }

  @Override
  public final void start(Exchange exchange) {
    try {
      coding = services.codings().of(exchange.request());
      long limitBytes = services.limits().maxBodyBytes();
      if (exchange.contentLength() > (coding == null ? limitBytes : options().maxSourceBytes())) {
        throw BodyReceiver.tooLong(limitBytes);
      }
      judge(exchange);
    } catch (RequestRefusal e) {
      refuse(exchange, e);
    } catch (ProtocolException e) {
      exchange.refuse(e, EmptyHttpHeaders.INSTANCE);
    }
  }

  /** Whether the body's bytes are stored as they come. */
  final boolean isPlain() {
    return coding == null;
  }

  private RequestOptions options() {
    return RequestOptions.upTo(services.limits().maxBodyBytes());
  }

  /** Answers a request that needs no body; otherwise calls {@link #receive}. */
  abstract void judge(Exchange exchange) throws ProtocolException;

  /**
   * Takes the body, unless the store takes none any more.
   *
   * @param json whether it is JSON, to be flattened
   * @param onComplete gets the payload, and owns it
   */
  final void receive(Exchange exchange, boolean json, Consumer<Payload> onComplete) {
    StoreFailedException failed = services.store().failure();
    if (failed != null) {
      Refusals.refuse(exchange, failed);
      return;
    }
    ContentCoding encoding = coding;
    if (encoding != null) {
      decoded =
          new DecodedBody(
              exchange,
              new DecodedContent(services.codings().decoder(encoding), options()),
              this::store,
              error -> undecodable(exchange, error));
    }
    BodySource source = decoded == null ? exchange : decoded;
    body =
        new BodyReceiver(
            services,
            exchange,
            source,
            json ? new JsonFlattener() : null,
            onComplete,
            error -> notStored(exchange, error));
    source.readBody();
  }

  @Override
  public final void body(ByteBuf piece, boolean last) {
    if (decoded == null) {
      store(piece, last);
    } else {
      decoded.accept(piece, last);
    }
  }

  private void store(ByteBuf piece, boolean last) {
    BodyReceiver receiver = body;
    if (receiver == null) {
      piece.release();
    } else {
      receiver.accept(piece, last);
    }
  }

  private void notStored(Exchange exchange, Throwable error) {
    try {
      closeDecoded();
    } finally {
      Refusals.refuse(exchange, error);
    }
  }

  private void closeDecoded() {
    if (decoded != null) {
      decoded.close();
    }
  }

  private void undecodable(Exchange exchange, Throwable error) {
    if (body != null) {
      body.abort();
    }
    switch (error) {
      case RequestRefusal refusal -> refuse(exchange, refusal);
      case CorruptInputException corrupt ->
          exchange.refuse(
              400,
              "the body cannot be decoded: " + corrupt.getMessage(),
              EmptyHttpHeaders.INSTANCE);
      default -> exchange.abort(error);
    }
  }

  private void refuse(Exchange exchange, RequestRefusal refusal) {
    HttpHeaders headers = Headers.create();
    if (refusal.status().equals(HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE)) {
      headers.set(HttpHeaderNames.ACCEPT_ENCODING, services.codings().accepted());
    }
    exchange.refuse(refusal.status().code(), String.valueOf(refusal.getMessage()), headers);
  }

  /** Whether the body had bytes, however few the payload has. */
  final boolean wasSent() {
    return body != null && body.receivedBytes() > 0;
  }

  @Override
  public void close() {
    try {
      closeDecoded();
    } finally {
      if (body != null) {
        body.abort();
      }
    }
  }
}
