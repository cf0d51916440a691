package dev.weir.server.http;

import dev.weir.netty.http.TransferCodings;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What RFC 9112 asks of every request, beyond what the decoder has checked. A request that fails
 * ends its connection: what follows it might be read differently elsewhere.
 */
final class RequestCheck {
  private static final String HOST_SIGNS = "_.~%!$&'()*+,;=:[]-";

  private RequestCheck() {}

  /** Why the request is refused; null when it is not. */
  static Refusals.@Nullable Refusal refuse(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return Refusals.of(request.decoderResult().cause());
    }
    HttpVersion version = request.protocolVersion();
    if (version.majorVersion() != 1) {
      return new Refusals.Refusal(505, "this node speaks HTTP/1.1, not " + version);
    }
    HttpHeaders headers = request.headers();
    if (!TransferCodings.areUndone(headers)) {
      return new Refusals.Refusal(501, "the only transfer coding that is understood is chunked");
    }
    if (headers.contains(HttpHeaderNames.SEC_WEBSOCKET_KEY1)
        && headers.contains(HttpHeaderNames.SEC_WEBSOCKET_KEY2)) {
      // A draft of WebSocket lets eight bytes follow such a head, and so does the decoder.
      return new Refusals.Refusal(
          400, "Sec-WebSocket-Key1 and -Key2 hide where a request ends: leave them out");
    }
    List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
    if (hosts.size() > 1 || (hosts.isEmpty() && version.minorVersion() > 0)) {
      return new Refusals.Refusal(400, "a request needs one Host header, not " + hosts.size());
    }
    if (!hosts.isEmpty() && !isHost(hosts.getFirst().trim())) {
      return new Refusals.Refusal(400, "the Host header is no host");
    }
    String expected = headers.get(HttpHeaderNames.EXPECT);
    if (expected != null && !HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(expected.trim())) {
      return new Refusals.Refusal(417, "the only expectation that is met is 100-continue");
    }
    return null;
  }

  /** Whether it has the characters of RFC 3986's authority only; empty is allowed. */
  private static boolean isHost(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isLetterOrDigit =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!isLetterOrDigit && HOST_SIGNS.indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }
}
