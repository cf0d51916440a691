package dev.weir.server.http;

import dev.weir.server.protocol.JsonFlattener;
import dev.weir.server.protocol.ProtocolException;
import dev.weir.server.store.Payload;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What requests with a body have in common: the head is judged first, then the body is taken. */
abstract class UploadHandler implements ExchangeHandler {
  final Services services;
  final String path;
  private @Nullable BodyReceiver body;

  UploadHandler(Services services, String path) {
    this.services = services;
    this.path = path;
  }

  @Override
  public final void start(Exchange exchange) {
    try {
      long limitBytes = services.limits().maxBodyBytes();
      if (exchange.contentLength() > limitBytes) {
        throw BodyReceiver.tooLong(limitBytes);
      }
      judge(exchange);
    } catch (ProtocolException e) {
      exchange.refuse(e, EmptyHttpHeaders.INSTANCE);
    }
  }

  /** Answers a request that needs no body; otherwise calls {@link #receive}. */
  abstract void judge(Exchange exchange) throws ProtocolException;

  /**
   * Takes the body.
   *
   * @param json whether it is JSON, to be flattened
   * @param onComplete gets the payload, and owns it
   */
  final void receive(Exchange exchange, boolean json, Consumer<Payload> onComplete) {
    body =
        new BodyReceiver(
            services,
            exchange,
            json ? new JsonFlattener() : null,
            onComplete,
            error -> Refusals.refuse(exchange, error));
    exchange.readBody();
  }

  @Override
  public final void body(ByteBuf piece, boolean last) {
    BodyReceiver receiver = body;
    if (receiver == null) {
      piece.release();
    } else {
      receiver.accept(piece, last);
    }
  }

  /** Whether the body had bytes, however few the payload has. */
  final boolean wasSent() {
    return body != null && body.receivedBytes() > 0;
  }

  @Override
  public void close() {
    if (body != null) {
      body.abort();
    }
  }
}
