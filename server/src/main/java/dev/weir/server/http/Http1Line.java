package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A connection of HTTP/1.1: one exchange after the other. */
final class Http1Line extends Line {
  private final Services services;
  private final StrictRequestDecoder decoder;
  private final SocketProgress output = new SocketProgress();

  Http1Line(Services services, StrictRequestDecoder decoder) {
    this.services = services;
    this.decoder = decoder;
  }

  @Override
  public boolean outputMoves() {
    return output.hasMoved(context().channel());
  }

  @Override
  boolean endsWithExchange() {
    return false;
  }

  @Override
  Framing framing(HttpRequest request) {
    return new Http1Framing(request);
  }

  @Override
  void request() {
    context().read();
  }

  @Override
  boolean beginEnd() {
    return HalfClose.begin(context());
  }

  @Override
  boolean endIdle() {
    if (decoder.isHalfway()) {
      carrier()
          .giveUp(
              new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "*"),
              Refusals.tooSlow("the headers were not complete", services.limits().idleTimeout()));
    } else {
      if (ProtocolSwitch.isHalfway(context().channel())
          || TlsSession.isHalfway(context().channel())) {
        count(Failure.STALLED, new IOException("no byte moved"));
      }
      context().close();
    }
    return true;
  }

  @Override
  void count(Failure failure, Throwable cause) {
    services.metrics().connectionFailed(failure, cause);
  }

  @Override
  void abandon(@Nullable Failure failure) {
    context().close();
  }

  @Override
  void answer(Failure failure, @Nullable ActiveExchange failed) {
    FixedAnswer.to(failure, services.metrics(), Http1Framing.PROTOCOL, failed)
        .sendPastEncoder(context())
        .addListener(written -> {
          if (written.isSuccess()) {
            carrier().run(() -> carrier().linger());
          } else {
            context().close();
          }
        });
  }
}
