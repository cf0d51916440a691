package dev.weir.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;

/** Chunks, and the end of the connection, which clients of HTTP/1.0 and others ask for. */
final class Http1Framing implements Framing {
  static final String PROTOCOL = "http/1.1";

  private final boolean keepsAliveByDefault;
  private boolean last;

  Http1Framing(HttpRequest request) {
    this.keepsAliveByDefault = request.protocolVersion().isKeepAliveDefault();
    this.last = !HttpUtil.isKeepAlive(request);
  }

  @Override
  public String protocol() {
    return PROTOCOL;
  }

  @Override
  public boolean isLast() {
    return last;
  }

  @Override
  public void endAfterwards() {
    last = true;
  }

  @Override
  public void begin(HttpResponse response) {
    if (keepsAliveByDefault) {
      HttpUtil.setTransferEncodingChunked(response, /* chunked= */ true);
    } else {
      // HTTP/1.0 knows the end of such a body by the end of the connection.
      last = true;
    }
  }

  @Override
  public void finishHead(HttpResponse response) {
    if (last) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!keepsAliveByDefault) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }
}
