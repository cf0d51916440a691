package dev.weir.compression.http;

import dev.weir.compression.ContentCoding;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code Content-Encoding} (RFC 9110, section 8.4). */
public final class RequestCoding {
  private static final int MAX_SHOWN = 40;

  private RequestCoding() {}

  /**
   * The coding of a content.
   *
   * @param known what can be decompressed
   * @return null if it is not encoded
   * @throws RequestRefusal if it is encoded in another way, or more than once
   */
  public static @Nullable ContentCoding of(HttpHeaders headers, List<ContentCoding> known) {
    ContentCoding found = null;
    for (String value : headers.getAll(HttpHeaderNames.CONTENT_ENCODING)) {
      for (String element : value.split(",", -1)) {
        String token = element.strip();
        if (token.isEmpty() || token.equalsIgnoreCase("identity")) {
          continue;
        }
        if (found != null) {
          throw unsupported("a content is encoded more than once");
        }
        found = coding(token, known);
      }
    }
    return found;
  }

  private static ContentCoding coding(String token, List<ContentCoding> known) {
    for (ContentCoding coding : known) {
      if (coding.token().equalsIgnoreCase(token)
          || (coding == ContentCoding.GZIP && token.equalsIgnoreCase("x-gzip"))) {
        return coding;
      }
    }
    String shown = token.substring(0, Math.min(token.length(), MAX_SHOWN));
    throw unsupported("content coding '" + shown.replaceAll("[^!-~]", "?") + "' is not taken here");
  }

  private static RequestRefusal unsupported(String reason) {
    return new RequestRefusal(HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, reason);
  }
}
