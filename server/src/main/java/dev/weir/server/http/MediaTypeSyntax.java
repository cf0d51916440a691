package dev.weir.server.http;

/**
 * The syntax of a media type: {@code type/subtype}, and parameters behind a semicolon (RFC 6838,
 * 4.2). Each append passes here, so there are no patterns.
 */
final class MediaTypeSyntax {
  private static final String SIGNS = "_!#$&^.+-";

  private MediaTypeSyntax() {}

  static boolean isValid(String text) {
    int slash = nameEnd(text, 0);
    if (slash == 0 || slash == text.length() || text.charAt(slash) != '/') {
      return false;
    }
    int end = nameEnd(text, slash + 1);
    if (end == slash + 1) {
      return false;
    }
    int parameters = end;
    while (parameters < text.length() && isSpace(text.charAt(parameters))) {
      parameters++;
    }
    return parameters == text.length() || text.charAt(parameters) == ';';
  }

  /** Where a name that starts at {@code from} ends. */
  private static int nameEnd(String text, int from) {
    int at = from;
    while (at < text.length() && isNameCharacter(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isNameCharacter(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || SIGNS.indexOf(c) >= 0;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }
}
