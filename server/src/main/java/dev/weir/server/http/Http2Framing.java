package dev.weir.server.http;

import io.netty.handler.codec.http.HttpResponse;

/** Frames say where a response ends, so its head need not. */
final class Http2Framing implements Framing {
  static final String PROTOCOL = "h2";

  private boolean last;

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
  public void begin(HttpResponse response) {}

  @Override
  public void finishHead(HttpResponse response) {}
}
