package dev.weir.streams.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A second reading of RFC 8259, of a whole text and by recursion, to compare {@link JsonFlattener}
 * with.
 */
final class JsonText {
  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
  private static final Pattern STRING =
      Pattern.compile("\"(?:[^\"\\\\\\x00-\\x1f]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4})*+\"");
  private static final Pattern SPACE = Pattern.compile("[ \\t\\n\\r]*");
  private static final Pattern WORD = Pattern.compile("true|false|null");

  private final String text;
  private final int maxDepth;
  private final List<String> elements = new ArrayList<>();
  private int at;

  private static final class NoJson extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private JsonText(String text, int maxDepth) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  /**
   * The elements of an array, or the one other value, as they are written; null for what is no
   * JSON.
   */
  static List<String> messages(byte[] utf8, int maxDepth) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
      JsonText json = new JsonText(text, maxDepth);
      return json.messages();
    } catch (CharacterCodingException | NoJson e) {
      return null;
    }
  }

  private List<String> messages() throws NoJson {
    token(SPACE);
    int from = at;
    boolean array = isNext('[');
    value(0);
    if (!array) {
      elements.add(text.substring(from, at));
    }
    token(SPACE);
    if (at < text.length()) {
      throw new NoJson();
    }
    return elements;
  }

  private void value(int depth) throws NoJson {
    if (isNext('[')) {
      list(']', depth, /* object= */ false);
    } else if (isNext('{')) {
      list('}', depth, /* object= */ true);
    } else if (!tryToken(STRING) && !tryToken(NUMBER)) {
      token(WORD);
    }
  }

  private void list(char end, int depth, boolean object) throws NoJson {
    if (depth == maxDepth) {
      throw new NoJson();
    }
    boolean outermost = depth == 0 && !object;
    at++;
    token(SPACE);
    if (isNext(end)) {
      at++;
      return;
    }
    while (true) {
      if (object) {
        token(STRING);
        token(SPACE);
        next(':');
        token(SPACE);
      }
      int from = at;
      value(depth + 1);
      if (outermost) {
        elements.add(text.substring(from, at));
      }
      token(SPACE);
      if (isNext(end)) {
        at++;
        return;
      }
      next(',');
      token(SPACE);
    }
  }

  private boolean isNext(char c) {
    return at < text.length() && text.charAt(at) == c;
  }

  private void next(char c) throws NoJson {
    if (!isNext(c)) {
      throw new NoJson();
    }
    at++;
  }

  private void token(Pattern pattern) throws NoJson {
    if (!tryToken(pattern)) {
      throw new NoJson();
    }
  }

  private boolean tryToken(Pattern pattern) {
    Matcher matcher = pattern.matcher(text).region(at, text.length());
    if (!matcher.lookingAt()) {
      return false;
    }
    at = matcher.end();
    return true;
  }
}
