package dev.weir.streams.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Names of streams in URLs. A name never becomes a file name; the checks keep it printable. */
public final class StreamPath {
  /** All streams live below. */
  public static final String PREFIX = "/v1/stream/";

  /** Longest name, in bytes of UTF-8: it is kept in memory for as long as the stream lives. */
  public static final int MAX_BYTES = 1024;

  private StreamPath() {}

  /**
   * The stream that a raw URL path names: percent-decoded once, without the prefix.
   *
   * @throws ProtocolException 404 when the path lies elsewhere, 400 when the name is not allowed
   */
  public static String parse(String rawPath) throws ProtocolException {
    if (!rawPath.startsWith(PREFIX)) {
      throw new ProtocolException(404, "no such page; streams live under " + PREFIX);
    }
    String name = decode(rawPath.substring(PREFIX.length()));
    if (name.isEmpty()) {
      throw ProtocolException.badRequest("the stream has no name; use " + PREFIX + "<name>");
    }
    if (hasDotSegment(name)) {
      throw ProtocolException.badRequest("a stream's name cannot contain . or .. as a segment");
    }
    if (name.equals("__ds") || name.startsWith("__ds/")) {
      throw new ProtocolException(404, "subscriptions (__ds) are not served by this node");
    }
    if (hasControlCharacter(name)) {
      throw ProtocolException.badRequest("a stream's name cannot contain control characters");
    }
    return name;
  }

  private static boolean hasDotSegment(String name) {
    if (name.indexOf('.') < 0) {
      return false;
    }
    for (String segment : name.split("/", -1)) {
      if (segment.equals("..") || segment.equals(".")) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasControlCharacter(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c < 0x20 || c == 0x7f) {
        return true;
      }
    }
    return false;
  }

  /** Whether it stands for itself, as most names do. */
  private static boolean isPlain(String raw) {
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == '%' || c > 0x7e) {
        return false;
      }
    }
    return true;
  }

  private static String decode(String raw) throws ProtocolException {
    if (raw.length() <= MAX_BYTES && isPlain(raw)) {
      return raw;
    }
    byte[] bytes = new byte[Math.min(raw.length(), MAX_BYTES + 1)];
    int length = 0;
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      int value = c;
      if (c == '%') {
        boolean complete = i + 2 < raw.length();
        int high = complete ? Character.digit(raw.charAt(i + 1), 16) : -1;
        int low = complete ? Character.digit(raw.charAt(i + 2), 16) : -1;
        if (high < 0 || low < 0) {
          throw ProtocolException.badRequest("the path has a broken percent escape");
        }
        value = high << 4 | low;
        i += 2;
      } else if (c > 0x7e) {
        throw ProtocolException.badRequest("the path has a character that must be percent-escaped");
      }
      if (length == MAX_BYTES) {
        throw new ProtocolException(
            414, "the stream's name is over the limit of " + MAX_BYTES + " bytes");
      }
      bytes[length++] = (byte) value;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException e) {
      throw ProtocolException.badRequest(
          "the path is not UTF-8 once its percent escapes are decoded");
    }
  }
}
