package dev.weir.streams.protocol;

/**
 * Positions in a stream as clients see them: two numbers of sixteen digits, so that they sort as
 * text. The first is 0 (kept for streams whose positions start anew); the second counts bytes.
 */
public final class Offset {
  /** The beginning of a stream. */
  public static final String START = "-1";

  /** The tail at the moment of the request. */
  public static final String NOW = "now";

  private static final int DIGITS = 16;
  private static final String GENERATION = "0".repeat(DIGITS) + "_";

  private Offset() {}

  /** The token for {@code positionBytes}, 0 to 10^16 − 1. */
  public static String format(long positionBytes) {
    String digits = Long.toString(positionBytes);
    return GENERATION + "0".repeat(DIGITS - digits.length()) + digits;
  }

  /**
   * The position that a token names.
   *
   * @throws ProtocolException 400, when it is no token of this server
   */
  public static long parse(String token) throws ProtocolException {
    if (token.length() != GENERATION.length() + DIGITS || !token.startsWith(GENERATION)) {
      throw malformed();
    }
    long position = 0;
    for (int i = GENERATION.length(); i < token.length(); i++) {
      int digit = token.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        throw malformed();
      }
      position = position * 10 + digit;
    }
    return position;
  }

  private static ProtocolException malformed() {
    return ProtocolException.badRequest(
        "malformed offset: use -1, now, or a Stream-Next-Offset that this server returned");
  }
}
