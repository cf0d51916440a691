package dev.weir.streams.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * Writes one server-sent {@code data} event piece by piece. Line ends of the data, whichever of the
 * three kinds, become lines of the event, so that nothing in the data can end it; a line that
 * begins with a space gets another one, since readers drop one. For one thread.
 *
 * <p>Readers decode each event on its own, so none ends within a character: bytes of one that is
 * not complete yet are held, and are of a later event, which begins with them.
 */
public final class SseEncoder {
  /** How a stream's bytes are put into an event. */
  public enum Mode {
    TEXT,
    /** Stored JSON: brackets are put around it, and the last comma is left out. */
    JSON,
    BASE64
  }

  /** Where the output goes. */
  public interface Sink {
    void write(byte[] bytes, int offset, int length);
  }

  private static final byte[] BEGIN = ascii("event: data\ndata:");
  private static final byte[] NEW_LINE = ascii("\ndata:");
  private static final byte[] SPACE = ascii(" ");

  private final Mode mode;
  private final Sink sink;

  /** What waits for the bytes that follow: a part of a character, or of three bytes for base64. */
  private final byte[] rest = new byte[3];

  private int restBytes;
  private boolean begun;
  private boolean afterCarriageReturn;

  /** The next byte begins a line, where readers drop one space. */
  private boolean atLineStart;

  public SseEncoder(Mode mode, Sink sink) {
    this.mode = mode;
    this.sink = sink;
  }

  private void begin() {
    if (!begun) {
      begun = true;
      put(BEGIN);
      atLineStart = mode == Mode.TEXT;
      if (mode == Mode.JSON) {
        put(ascii("["));
      }
    }
  }

  /** The most that {@link #data} would write of these bytes now. */
  public int maxEncodedBytes(byte[] piece) {
    int beginning = begun ? 0 : BEGIN.length + 1;
    if (mode == Mode.BASE64) {
      return beginning + (restBytes + piece.length) / 3 * 4;
    }
    int more = 0;
    boolean lineStart = begun ? atLineStart : mode == Mode.TEXT;
    for (byte b : piece) {
      boolean lineEnd = b == '\n' || b == '\r';
      more += lineEnd ? NEW_LINE.length - 1 : lineStart && b == ' ' ? SPACE.length : 0;
      lineStart = lineEnd;
    }
    return beginning + restBytes + piece.length + more;
  }

  /** Adds the next bytes of the stream. The event begins with the first that can be written. */
  public void data(byte[] piece) {
    byte[] bytes = Arrays.copyOf(rest, restBytes + piece.length);
    System.arraycopy(piece, 0, bytes, restBytes, piece.length);
    restBytes = mode == Mode.BASE64 ? bytes.length % 3 : Utf8Boundary.incompleteBytes(bytes);
    int whole = bytes.length - restBytes;
    System.arraycopy(bytes, whole, rest, 0, restBytes);
    write(Arrays.copyOf(bytes, whole));
  }

  private void write(byte[] whole) {
    if (whole.length > 0) {
      begin();
      if (mode == Mode.BASE64) {
        put(Base64.getEncoder().encode(whole));
      } else {
        text(whole);
      }
    }
  }

  /** Bytes at the end of the data that are held: the next event has to begin with them. */
  public int heldBytes() {
    return mode == Mode.BASE64 ? 0 : restBytes;
  }

  /** Nothing follows in the stream: what is held is written as it is. */
  public void release() {
    byte[] last = Arrays.copyOf(rest, restBytes);
    restBytes = 0;
    write(last);
  }

  /** Ends the event, unless nothing of it could be written. */
  public void end() {
    if (mode == Mode.BASE64) {
      release();
    }
    if (begun) {
      put(ascii(mode == Mode.JSON ? "]\n\n" : "\n\n"));
    }
  }

  private void text(byte[] bytes) {
    int from = 0;
    for (int i = 0; i < bytes.length; i++) {
      byte b = bytes[i];
      if (b == '\n' && afterCarriageReturn) {
        // The second half of a line end that was written already.
        from = i + 1;
        afterCarriageReturn = false;
        continue;
      }
      afterCarriageReturn = b == '\r';
      if (b == '\n' || b == '\r') {
        sink.write(bytes, from, i - from);
        put(NEW_LINE);
        from = i + 1;
        atLineStart = true;
        continue;
      }
      if (atLineStart && b == ' ') {
        put(SPACE);
      }
      atLineStart = false;
    }
    sink.write(bytes, from, bytes.length - from);
  }

  private void put(byte[] bytes) {
    sink.write(bytes, 0, bytes.length);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
