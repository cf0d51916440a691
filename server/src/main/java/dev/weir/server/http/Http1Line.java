package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A connection of HTTP/1.1: one exchange after the other. */
final class Http1Line extends Line {
  private static final String PROTOCOL = "http/1.1";

  private final Services services;
  private final StrictRequestDecoder decoder;

  Http1Line(Services services, StrictRequestDecoder decoder) {
    this.services = services;
    this.decoder = decoder;
  }

  @Override
  Channel socket() {
    return context().channel();
  }

  @Override
  boolean endsWithExchange() {
    return false;
  }

  @Override
  String protocol() {
    return PROTOCOL;
  }

  @Override
  boolean isLast(HttpRequest request) {
    return !HttpUtil.isKeepAlive(request);
  }

  /** HTTP/1.0 knows the end of such a body by the end of the connection. */
  @Override
  boolean delimit(HttpRequest request, HttpResponse response) {
    boolean knowsChunks = request.protocolVersion().isKeepAliveDefault();
    if (knowsChunks) {
      HttpUtil.setTransferEncodingChunked(response, /* chunked= */ true);
    }
    return !knowsChunks;
  }

  @Override
  void finishHead(HttpRequest request, HttpResponse response, boolean last) {
    if (last) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!request.protocolVersion().isKeepAliveDefault()) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
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
    FixedAnswer.to(failure, services.metrics(), PROTOCOL, failed)
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
