package dev.weir.compression.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.List;

/**
 * Fields that tell a content byte by byte (RFC 9530, and what came before it): true of one coding
 * only, wherever they are.
 */
final class Digests {
  private static final List<String> NAMES =
      List.of("content-md5", "content-digest", "repr-digest", "digest");

  private Digests() {}

  static boolean isOne(CharSequence name) {
    for (String digest : NAMES) {
      if (AsciiString.contentEqualsIgnoreCase(name, digest)) {
        return true;
      }
    }
    return false;
  }

  /** Takes them out. */
  static void removeFrom(HttpHeaders fields) {
    for (String digest : NAMES) {
      fields.remove(digest);
    }
  }

  /** Trailers without them: the same ones if there are none, else a copy. */
  static HttpHeaders without(HttpHeaders trailers) {
    if (trailers.isEmpty()) {
      return trailers;
    }
    for (String digest : NAMES) {
      if (trailers.contains(digest)) {
        HttpHeaders others = trailers.copy();
        removeFrom(others);
        return others;
      }
    }
    return trailers;
  }
}
