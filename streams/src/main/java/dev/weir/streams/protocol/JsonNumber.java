package dev.weir.streams.protocol;

import org.jspecify.annotations.Nullable;

/** The grammar of a JSON number, byte by byte (RFC 8259, section 6). */
final class JsonNumber {
  private enum State {
    MINUS,
    ZERO,
    INTEGER,
    POINT,
    FRACTION,
    EXPONENT,
    EXPONENT_SIGN,
    EXPONENT_DIGITS
  }

  private State state = State.MINUS;

  /** Starts a number; false when none can start so. */
  boolean begin(byte first) {
    if (first == '-') {
      state = State.MINUS;
    } else if (first == '0') {
      state = State.ZERO;
    } else if (isDigit(first)) {
      state = State.INTEGER;
    } else {
      return false;
    }
    return true;
  }

  /** Goes on; false when the byte does not belong to the number. */
  boolean accept(byte b) {
    State next = next(b);
    if (next == null) {
      return false;
    }
    state = next;
    return true;
  }

  boolean isComplete() {
    return switch (state) {
      case ZERO, INTEGER, FRACTION, EXPONENT_DIGITS -> true;
      case MINUS, POINT, EXPONENT, EXPONENT_SIGN -> false;
    };
  }

  private @Nullable State next(byte b) {
    boolean digit = isDigit(b);
    return switch (state) {
      case MINUS -> b == '0' ? State.ZERO : digit ? State.INTEGER : null;
      case ZERO -> afterInteger(b);
      case INTEGER -> digit ? State.INTEGER : afterInteger(b);
      case POINT -> digit ? State.FRACTION : null;
      case FRACTION -> digit ? State.FRACTION : isExponent(b) ? State.EXPONENT : null;
      case EXPONENT ->
          digit ? State.EXPONENT_DIGITS : b == '+' || b == '-' ? State.EXPONENT_SIGN : null;
      case EXPONENT_SIGN, EXPONENT_DIGITS -> digit ? State.EXPONENT_DIGITS : null;
    };
  }

  private static @Nullable State afterInteger(byte b) {
    return b == '.' ? State.POINT : isExponent(b) ? State.EXPONENT : null;
  }

  private static boolean isExponent(byte b) {
    return b == 'e' || b == 'E';
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
