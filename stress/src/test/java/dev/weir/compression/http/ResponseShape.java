package dev.weir.compression.http;

import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What an input of {@link ResponseCompressionFuzzTest} describes: a request, the response to it,
 * how that is written, and what happens meanwhile. Each of the first nine bytes chooses one of
 * these; the rest is the content, repeated.
 */
final class ResponseShape {
  static final int HEAD_BYTES = 9;

  private static final int MAX_CONTENT_BYTES = 16 << 10;
  private static final int MAX_PIECES = 64;
  private static final List<HttpMethod> METHODS =
      List.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST, HttpMethod.CONNECT);
  private static final List<String> ACCEPTED =
      List.of(
          "",
          "zstd",
          "br",
          "gzip",
          "zstd, br, gzip, deflate",
          "gzip;q=0.5, zstd;q=0",
          "*",
          "identity;q=0",
          "zstd, identity;q=0",
          "*;q=0",
          "gzip, *;q=0");
  private static final int[] STATUSES = {200, 201, 204, 205, 206, 304, 404, 500, 503, 101, 299};

  private final byte[] input;

  ResponseShape(byte[] input) {
    this.input = input;
  }

  private static boolean bit(int value, int bit) {
    return (value >> bit & 1) != 0;
  }

  // The request.

  HttpMethod method() {
    return METHODS.get(input[0] & 3);
  }

  FullHttpRequest request() {
    HttpVersion version = bit(input[0], 2) ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1;
    FullHttpRequest request = new DefaultFullHttpRequest(version, method(), "/");
    String accepted = accepted();
    if (!accepted.isEmpty()) {
      request.headers().set(HttpHeaderNames.ACCEPT_ENCODING, accepted);
    }
    if (bit(input[0], 3)) {
      request.headers().set(HttpHeaderNames.IF_NONE_MATCH, "W/\"tag\"");
    }
    return request;
  }

  /** What its client accepts; empty if it does not say. */
  String accepted() {
    return ACCEPTED.get((input[1] & 0xff) % ACCEPTED.size());
  }

  // The response.

  HttpResponseStatus status() {
    return HttpResponseStatus.valueOf(STATUSES[(input[2] & 0xff) % STATUSES.length]);
  }

  boolean hasContent() {
    HttpResponseStatus status = status();
    return !HttpMethod.HEAD.equals(method())
        && status.codeClass() != HttpStatusClass.INFORMATIONAL
        && !status.equals(HttpResponseStatus.NO_CONTENT)
        && !status.equals(HttpResponseStatus.RESET_CONTENT)
        && !status.equals(HttpResponseStatus.NOT_MODIFIED);
  }

  /** What the client is to read of it. */
  byte[] content() {
    byte[] once = Arrays.copyOfRange(input, HEAD_BYTES, input.length);
    if (!hasContent() || once.length == 0) {
      return new byte[0];
    }
    int repeats = Math.min(1 + (input[6] & 0x3f), Math.max(1, MAX_CONTENT_BYTES / once.length));
    byte[] content = new byte[once.length * repeats];
    for (int at = 0; at < content.length; at += once.length) {
      System.arraycopy(once, 0, content, at, once.length);
    }
    return content;
  }

  HttpHeaders headers() {
    HttpHeaders headers = new DefaultHttpHeaders();
    if (bit(input[3], 0)) {
      headers.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    }
    length().ifPresent(bytes -> headers.set(HttpHeaderNames.CONTENT_LENGTH, bytes));
    ownCoding().ifPresent(coding -> headers.set(HttpHeaderNames.CONTENT_ENCODING, coding));
    if (bit(input[3], 4)) {
      headers.set(HttpHeaderNames.CACHE_CONTROL, "max-age=1, no-transform");
    }
    if (bit(input[3], 5)) {
      headers.set(HttpHeaderNames.ETAG, "\"tag\"");
      headers.set(HttpHeaderNames.VARY, "Origin");
    }
    if (bit(input[3], 6)) {
      headers.set(HttpHeaderNames.ACCEPT_RANGES, "bytes");
      headers.set("Content-Digest", "crc32c=:AAAAAA==:");
    }
    return headers;
  }

  private Optional<Integer> length() {
    return bit(input[3], 1) || hasWrongLength()
        ? Optional.of(content().length + (hasWrongLength() ? input[2] >> 4 : 0))
        : Optional.empty();
  }

  boolean hasWrongLength() {
    return bit(input[3], 2) && !isWhole();
  }

  /** The coding that the application says its content is in. */
  Optional<String> ownCoding() {
    return bit(input[3], 3) ? Optional.of("gzip") : Optional.empty();
  }

  boolean hasTrailers() {
    return bit(input[3], 7);
  }

  // How it is written.

  boolean isWhole() {
    return bit(input[4], 0);
  }

  boolean isFlushedOften() {
    return bit(input[4], 1);
  }

  boolean isOnHeap() {
    return bit(input[4], 2);
  }

  boolean comesAsBareBytes() {
    return bit(input[4], 3);
  }

  boolean hasLittleRoom() {
    return bit(input[4], 4);
  }

  boolean endsWithContent() {
    return bit(input[4], 5);
  }

  boolean omitsItsEnd() {
    return bit(input[4], 6);
  }

  boolean isAnnounced() {
    return bit(input[4], 7);
  }

  int pieceBytes() {
    int root = 1 + (input[5] & 0xff);
    return Math.max(root * root / 4 + 1, content().length / MAX_PIECES);
  }

  /** How many requests wait for such a response. */
  int responses() {
    return 1 + (input[6] >> 6 & 1);
  }

  // What happens.

  /** After how many writes. */
  int eventAt() {
    return input[7] & 0xff;
  }

  boolean closes() {
    return bit(input[8], 0);
  }

  boolean removesTheHandler() {
    return bit(input[8], 1);
  }

  boolean hasNoContexts() {
    return bit(input[8], 2);
  }

  boolean hasFewBuffers() {
    return bit(input[8], 3);
  }

  /** Whether a response may rightly stop in the middle. */
  boolean maySuffer() {
    return closes() || removesTheHandler() || hasFewBuffers() || hasWrongLength() || omitsItsEnd();
  }
}
