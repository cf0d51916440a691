package dev.weir.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;

/**
 * What every answer of the console carries: its pages load nothing of elsewhere, and are framed
 * nowhere.
 */
final class ConsoleHeaders {
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private ConsoleHeaders() {}

  static HttpHeaders of(String type, String caching) {
    return Headers.create()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(HttpHeaderNames.CACHE_CONTROL, caching)
        .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, POLICY)
        .set("Referrer-Policy", "no-referrer")
        .set(ActiveExchange.RESOURCE_POLICY, "same-origin");
  }
}
