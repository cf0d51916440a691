package dev.weir.server.http;

import org.jspecify.annotations.Nullable;

/**
 * Takes the target of a request apart: {@code /path?query}, or {@code http://host:port/path?query}
 * in absolute form (RFC 9112, 3.2). Each request passes here, so there are no patterns.
 */
final class RequestTarget {
  private RequestTarget() {}

  /** The host in absolute form, with its port; null in any other form. */
  static @Nullable String authorityOf(String target) {
    int start = authorityStart(target);
    return start == 0 ? null : target.substring(start, authorityEnd(target, start));
  }

  /** The path, without the query. */
  static String pathOf(String target) {
    int authority = authorityStart(target);
    int start = authority == 0 ? 0 : authorityEnd(target, authority);
    int query = target.indexOf('?', start);
    String path = target.substring(start, query < 0 ? target.length() : query);
    return path.isEmpty() && authority > 0 ? "/" : path;
  }

  /** Where the authority starts; 0 if there is none. */
  private static int authorityStart(String target) {
    if (target.startsWith("/")) {
      return 0;
    }
    for (String scheme : new String[] {"http://", "https://"}) {
      if (target.regionMatches(/* ignoreCase= */ true, 0, scheme, 0, scheme.length())) {
        return scheme.length();
      }
    }
    return 0;
  }

  private static int authorityEnd(String target, int start) {
    for (int at = start; at < target.length(); at++) {
      char c = target.charAt(at);
      if (c == '/' || c == '?') {
        return at;
      }
    }
    return target.length();
  }
}
