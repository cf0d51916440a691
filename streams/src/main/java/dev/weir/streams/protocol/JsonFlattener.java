package dev.weir.streams.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Turns the body of a JSON append into messages, piece by piece, in place: each message is followed
 * by a comma, so that any range of a stream becomes an array by putting brackets around it. An
 * array loses its outer brackets (one level only), any other value is one message. Space outside of
 * the messages is dropped; the messages keep their bytes.
 *
 * <p>Everything is checked against RFC 8259, with UTF-8 and a depth of at most {@link #MAX_DEPTH}.
 * For one thread.
 */
public final class JsonFlattener {
  /** How deep arrays and objects may lie in each other. */
  public static final int MAX_DEPTH = 512;

  /** What may come next. */
  private enum Expect {
    VALUE,
    VALUE_OR_END,
    KEY,
    KEY_OR_END,
    COLON,
    COMMA_OR_END,
    NOTHING
  }

  private enum Token {
    NONE,
    STRING,
    ESCAPE,
    UNICODE,
    NUMBER,
    LITERAL
  }

  private final boolean[] isObject = new boolean[MAX_DEPTH];
  private final Utf8Checker utf8 = new Utf8Checker();
  private final JsonNumber number = new JsonNumber();
  private int depth;
  private Expect expect = Expect.VALUE;
  private Token token = Token.NONE;
  private boolean stringIsKey;
  private int hexDigitsLeft;
  private byte[] literal = new byte[0];
  private int literalIndex;
  private boolean outerArray;
  private boolean started;
  private long messages;

  /** Before the first byte of a body. */
  public JsonFlattener() {}

  /**
   * Flattens the remaining bytes of {@code piece} in place; afterwards they are the output.
   *
   * @throws ProtocolException 400, when the body is no JSON
   */
  public void feed(ByteBuffer piece) throws ProtocolException {
    started |= piece.hasRemaining();
    int out = piece.position();
    int end = piece.limit();
    for (int in = piece.position(); in < end; in++) {
      byte b = piece.get(in);
      if (accept(b)) {
        piece.put(out++, b);
      }
    }
    piece.limit(out);
  }

  /**
   * Ends the body. Whether a comma is still to be added after what {@link #feed} left.
   *
   * @throws ProtocolException 400, when the body is incomplete
   */
  public boolean finish() throws ProtocolException {
    endNumber();
    if (token != Token.NONE || expect != Expect.NOTHING) {
      throw ProtocolException.badRequest("invalid JSON: the body ends too early");
    }
    return messages > 0;
  }

  /** Whether any byte has come: without one, there is nothing to check. */
  public boolean started() {
    return started;
  }

  /** Messages found so far. */
  public long messages() {
    return messages;
  }

  /** Takes one byte; whether it is part of the output. */
  private boolean accept(byte b) throws ProtocolException {
    return switch (token) {
      case STRING -> {
        inString(b);
        yield true;
      }
      case ESCAPE -> {
        inEscape(b);
        yield true;
      }
      case UNICODE -> {
        inUnicodeEscape(b);
        yield true;
      }
      case LITERAL -> {
        inLiteral(b);
        yield true;
      }
      case NUMBER -> {
        if (number.accept(b)) {
          yield true;
        }
        endNumber();
        yield structure(b);
      }
      case NONE -> structure(b);
    };
  }

  private void inUnicodeEscape(byte b) throws ProtocolException {
    if (Character.digit(b, 16) < 0) {
      throw invalid("a broken \\u escape");
    }
    token = --hexDigitsLeft == 0 ? Token.STRING : Token.UNICODE;
  }

  private void inLiteral(byte b) throws ProtocolException {
    if (b != literal[literalIndex]) {
      throw invalid("an unknown word");
    }
    if (++literalIndex == literal.length) {
      token = Token.NONE;
      endValue();
    }
  }

  private void inString(byte b) throws ProtocolException {
    if (b >= 0 && b < 0x20) {
      throw invalid("a control character in a string");
    }
    if (!utf8.accept(b)) {
      throw invalid("a string that is not UTF-8");
    }
    if (b == '\\') {
      token = Token.ESCAPE;
    } else if (b == '"') {
      token = Token.NONE;
      if (stringIsKey) {
        expect = Expect.COLON;
      } else {
        endValue();
      }
    }
  }

  private void inEscape(byte b) throws ProtocolException {
    switch (b) {
      case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> token = Token.STRING;
      case 'u' -> {
        token = Token.UNICODE;
        hexDigitsLeft = 4;
      }
      default -> throw invalid("an unknown escape");
    }
  }

  private boolean structure(byte b) throws ProtocolException {
    return switch (b) {
      case ' ', '\t', '\n', '\r' -> depth > (outerArray ? 1 : 0);
      case '[', '{' -> open(b == '{');
      case ']', '}' -> close(b == '}');
      case ',' -> {
        if (expect != Expect.COMMA_OR_END) {
          throw invalid("a comma in the wrong place");
        }
        expect = isObject[depth - 1] ? Expect.KEY : Expect.VALUE;
        yield true;
      }
      case ':' -> {
        if (expect != Expect.COLON) {
          throw invalid("a colon in the wrong place");
        }
        expect = Expect.VALUE;
        yield true;
      }
      default -> {
        scalar(b);
        yield true;
      }
    };
  }

  private boolean open(boolean object) throws ProtocolException {
    boolean outer = depth == 0 && !object;
    beginValue();
    if (depth == MAX_DEPTH) {
      throw invalid("more than " + MAX_DEPTH + " levels");
    }
    isObject[depth++] = object;
    outerArray |= outer;
    expect = object ? Expect.KEY_OR_END : Expect.VALUE_OR_END;
    return !outer;
  }

  private boolean close(boolean object) throws ProtocolException {
    boolean allowed =
        depth > 0
            && isObject[depth - 1] == object
            && (expect == Expect.COMMA_OR_END
                || expect == (object ? Expect.KEY_OR_END : Expect.VALUE_OR_END));
    if (!allowed) {
      throw invalid("a closing bracket in the wrong place");
    }
    depth--;
    if (depth == 0 && outerArray) {
      expect = Expect.NOTHING;
      return false;
    }
    endValue();
    return true;
  }

  private void scalar(byte b) throws ProtocolException {
    if (b == '"') {
      stringIsKey = expect == Expect.KEY || expect == Expect.KEY_OR_END;
      if (!stringIsKey) {
        beginValue();
      }
      token = Token.STRING;
      return;
    }
    beginValue();
    switch (b) {
      case 't' -> literal("true");
      case 'f' -> literal("false");
      case 'n' -> literal("null");
      default -> {
        if (!number.begin(b)) {
          throw invalid("an unexpected character");
        }
        token = Token.NUMBER;
      }
    }
  }

  private void literal(String word) {
    literal = word.getBytes(StandardCharsets.US_ASCII);
    literalIndex = 1;
    token = Token.LITERAL;
  }

  private void beginValue() throws ProtocolException {
    if (expect != Expect.VALUE && expect != Expect.VALUE_OR_END) {
      throw invalid("a value in the wrong place");
    }
  }

  private void endNumber() throws ProtocolException {
    if (token == Token.NUMBER) {
      if (!number.isComplete()) {
        throw invalid("an incomplete number");
      }
      token = Token.NONE;
      endValue();
    }
  }

  private void endValue() {
    expect = depth == 0 ? Expect.NOTHING : Expect.COMMA_OR_END;
    if (depth == (outerArray ? 1 : 0)) {
      messages++;
    }
  }

  private static ProtocolException invalid(String what) {
    return ProtocolException.badRequest("invalid JSON: " + what);
  }
}
