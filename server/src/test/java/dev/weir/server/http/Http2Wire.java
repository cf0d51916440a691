package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a client of HTTP/2 sends, and what it gets, in bytes. */
final class Http2Wire {
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  /** Fields of HPACK's static table, as they are, or with a value of one's own. */
  private static final int GET = 0x82;

  private static final int POST = 0x83;
  private static final int HTTP = 0x86;
  private static final int AUTHORITY = 0x01;
  private static final int PATH = 0x04;

  /** The 31st, which takes two bytes. */
  private static final byte[] CONTENT_TYPE = {0x0f, 0x10};

  private Http2Wire() {}

  /** A frame as it came. */
  record Frame(int type, int flags, int stream, byte[] payload) {}

  static byte[] frame(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(Http2CodecUtil.FRAME_HEADER_LENGTH + payload.length)
        .putShort((short) (payload.length >> 8))
        .put((byte) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  /** How a client begins whose streams may be sent so many bytes. */
  static byte[] preface(int windowBytes) {
    ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
    byte[] setting =
        ByteBuffer.allocate(6)
            .putShort((short) Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE)
            .putInt(windowBytes)
            .array();
    byte[] settings = frame(Http2FrameTypes.SETTINGS, 0, 0, setting);
    byte[] bytes = new byte[preface.readableBytes() + settings.length];
    int length = preface.readableBytes();
    preface.readBytes(bytes, 0, length);
    System.arraycopy(settings, 0, bytes, length, settings.length);
    return bytes;
  }

  /** A whole request. */
  static byte[] get(int stream, String path) {
    ByteArrayOutputStream block = block(GET, path);
    return frame(Http2FrameTypes.HEADERS, END_STREAM | END_HEADERS, stream, block.toByteArray());
  }

  /** The head of an upload. */
  static byte[] post(int stream, String path, String contentType) {
    return post(stream, path, contentType, /* more= */ new byte[0]);
  }

  /** The same with more fields, as HPACK has them. */
  static byte[] post(int stream, String path, String contentType, byte[] more) {
    ByteArrayOutputStream block = block(POST, path);
    block.writeBytes(CONTENT_TYPE);
    value(block, contentType);
    block.writeBytes(more);
    return frame(Http2FrameTypes.HEADERS, END_HEADERS, stream, block.toByteArray());
  }

  /** A piece of a body. */
  static byte[] data(int stream, byte[] bytes, boolean last) {
    return frame(Http2FrameTypes.DATA, last ? END_STREAM : 0, stream, bytes);
  }

  private static ByteArrayOutputStream block(int method, String path) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write(method);
    block.write(HTTP);
    block.write(AUTHORITY);
    value(block, "x");
    block.write(PATH);
    value(block, path);
    return block;
  }

  private static void value(ByteArrayOutputStream block, String value) {
    block.write(value.length());
    block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
  }

  static byte[] openWindow(int stream, int bytes) {
    byte[] increment = ByteBuffer.allocate(4).putInt(bytes).array();
    return frame(Http2FrameTypes.WINDOW_UPDATE, 0, stream, increment);
  }

  /** The frames in what has come; they must be whole. */
  static List<Frame> frames(byte[] received) {
    List<Frame> frames = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(received);
    while (bytes.hasRemaining()) {
      byte[] payload = new byte[(bytes.getShort() & 0xffff) << 8 | bytes.get() & 0xff];
      int type = bytes.get();
      int flags = bytes.get();
      int stream = bytes.getInt();
      bytes.get(payload);
      frames.add(new Frame(type, flags, stream, payload));
    }
    return frames;
  }
}
