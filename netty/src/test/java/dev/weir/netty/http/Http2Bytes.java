package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** What a client of HTTP/2 sends, as bytes that can be cut anywhere. It has one stream. */
final class Http2Bytes {
  /** What a client takes of an answer; it never asks for more. */
  static final int WINDOW_BYTES = 2_000;

  private static final int FRAME_BYTES = 16 << 10;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final short INITIAL_WINDOW_SIZE = 4;
  private static final int CANCEL = 8;

  private Http2Bytes() {}

  /** The preface. */
  static byte[] opening() {
    byte[] settings =
        ByteBuffer.allocate(6).putShort(INITIAL_WINDOW_SIZE).putInt(WINDOW_BYTES).array();
    return join(
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII), frame(SETTINGS, 0, 0, settings));
  }

  /** The head of a POST; its length goes without saying where it is negative. */
  static byte[] head(int contentLength) {
    ByteArrayOutputStream fields = new ByteArrayOutputStream();
    // :method POST, :scheme http, :path / and a literal :authority, by HPACK's static table.
    fields.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86, (byte) 0x84, 0x41});
    text(fields, "weir");
    if (contentLength >= 0) {
      fields.writeBytes(new byte[] {0x0f, 0x0d});
      text(fields, Integer.toString(contentLength));
    }
    return frame(HEADERS, END_HEADERS, 1, fields.toByteArray());
  }

  private static void text(ByteArrayOutputStream fields, String text) {
    fields.write(text.length());
    fields.writeBytes(text.getBytes(US_ASCII));
  }

  /** A part of the body in frames, or its end. */
  static byte[] data(String text, boolean end) {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    for (int at = 0; at < text.length(); at += FRAME_BYTES) {
      int next = Math.min(text.length(), at + FRAME_BYTES);
      int flags = end && next == text.length() ? END_STREAM : 0;
      frames.writeBytes(frame(DATA, flags, 1, text.substring(at, next).getBytes(US_ASCII)));
    }
    return frames.toByteArray();
  }

  /** The end of the stream, not of the connection. */
  static byte[] reset() {
    return frame(RST_STREAM, 0, 1, ByteBuffer.allocate(4).putInt(CANCEL).array());
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .putInt(payload.length << 8 | type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    Arrays.stream(parts).forEach(all::writeBytes);
    return all.toByteArray();
  }
}
