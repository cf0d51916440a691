package dev.weir.compression.http;

import java.util.List;

/**
 * Which kind of entity tags a client has, by {@code If-None-Match}: the tag of a compressed content
 * is weak here, so it tells which content is validated where the application's tags are strong.
 */
enum AskedTags {
  /** Weak ones only. */
  WEAK,
  /** Strong ones only. */
  STRONG,
  /** None, or both. */
  UNKNOWN;

  /** Reads the values of {@code If-None-Match} (RFC 9110, section 8.8.3). */
  static AskedTags parse(List<String> values) {
    boolean weak = false;
    boolean strong = false;
    for (String value : values) {
      int open = value.indexOf('"');
      while (open >= 0) {
        boolean isWeak = open >= 2 && value.startsWith("W/", open - 2);
        weak |= isWeak;
        strong |= !isWeak;
        int close = value.indexOf('"', open + 1);
        open = close < 0 ? -1 : value.indexOf('"', close + 1);
      }
    }
    return weak == strong ? UNKNOWN : weak ? WEAK : STRONG;
  }
}
