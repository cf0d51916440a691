package dev.weir.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A connection of HTTP/2 that says exactly what a test wants said, frame by frame. */
final class Http2Client implements AutoCloseable {
  static final int END_STREAM = 1;
  static final int ACK = 1;
  static final int END_HEADERS = 4;
  private static final int PADDED = 8;
  private static final int HEADER_BYTES = 9;
  private static final int MAX_FRAME_BYTES = 16 << 10;

  private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
  private final DefaultHttp2HeadersDecoder decoder =
      new DefaultHttp2HeadersDecoder(/* validateHeaders= */ true);
  private final Map<Integer, Response> responses = new HashMap<>();
  private final Map<Integer, Integer> windows = new HashMap<>();
  private final Socket socket;
  private final DataInputStream in;
  private int nextStream = 1;
  private boolean opensWindows = true;
  private int initialWindow = Http2CodecUtil.DEFAULT_WINDOW_SIZE;
  private long roundTrips;
  private long roundTripsBack;
  int settingsMaxStreams;
  int goAways;
  int lastStreamOfGoAway = -1;
  int errorOfGoAway = -1;

  /** A frame as it came. */
  record Frame(int type, int flags, int stream, byte[] payload) {}

  /** What has come on a stream so far. */
  static final class Response {
    Http2Headers head;
    final ByteArrayOutputStream body = new ByteArrayOutputStream();
    boolean ended;
    int error = -1;

    int status() {
      return head == null ? 0 : Integer.parseInt(head.status().toString());
    }

    String text() {
      return body.toString(StandardCharsets.UTF_8);
    }

    String header(String name) {
      CharSequence value = head.get(name);
      return value == null ? null : value.toString();
    }

    boolean isOver() {
      return ended || error >= 0;
    }
  }

  /** By prior knowledge in the clear, or as agreed on with TLS. */
  Http2Client(InetSocketAddress address, @Nullable SSLContext tls) throws IOException {
    this(address, tls, /* windowBytes= */ 1 << 20, /* receiveBufferBytes= */ 0);
  }

  /**
   * Connects.
   *
   * @param windowBytes what each stream may send before this side has to say that it goes on
   */
  Http2Client(
      InetSocketAddress address, @Nullable SSLContext tls, int windowBytes, int receiveBufferBytes)
      throws IOException {
    Socket plain = new Socket();
    if (receiveBufferBytes > 0) {
      plain.setReceiveBufferSize(receiveBufferBytes);
    }
    plain.connect(address);
    plain.setTcpNoDelay(true);
    plain.setSoTimeout((int) RawClient.PATIENCE.toMillis());
    socket = tls == null ? plain : secured(plain, tls);
    in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16));
    ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
    byte[] bytes = new byte[preface.readableBytes()];
    preface.readBytes(bytes);
    sendRaw(bytes);
    send(
        Http2FrameTypes.SETTINGS,
        0,
        0,
        setting(Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE, windowBytes));
    openWindow(0, 1 << 30);
  }

  private static Socket secured(Socket plain, SSLContext tls) throws IOException {
    SSLSocket socket =
        (SSLSocket)
            tls.getSocketFactory()
                .createSocket(plain, "localhost", plain.getPort(), /* autoClose= */ true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2", "http/1.1"});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    if (!"h2".equals(socket.getApplicationProtocol())) {
      throw new IOException("agreed on " + socket.getApplicationProtocol());
    }
    return socket;
  }

  static byte[] setting(int id, int value) {
    return ByteBuffer.allocate(6).putShort((short) id).putInt(value).array();
  }

  int localPort() {
    return socket.getLocalPort();
  }

  /** From here on streams get no more of the window than they have. */
  void stopOpeningWindows() {
    opensWindows = false;
  }

  void openWindow(int stream, int bytes) throws IOException {
    send(Http2FrameTypes.WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
  }

  void sendRaw(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  void send(int type, int flags, int stream, byte[] payload) throws IOException {
    sendRaw(frame(type, flags, stream, payload));
  }

  static byte[] frame(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(HEADER_BYTES + payload.length)
        .put((byte) (payload.length >> 16))
        .putShort((short) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  /** Begins a request; {@code extra} are names and values of headers. */
  int request(boolean last, String method, String path, String... extra) throws IOException {
    Http2Headers headers =
        new DefaultHttp2Headers(/* validate= */ false)
            .method(method)
            .scheme("http")
            .authority("localhost")
            .path(path);
    for (int i = 0; i < extra.length; i += 2) {
      headers.add(extra[i], extra[i + 1]);
    }
    return request(last, headers);
  }

  int request(boolean last, Http2Headers headers) throws IOException {
    int stream = nextStream;
    nextStream += 2;
    send(
        Http2FrameTypes.HEADERS,
        END_HEADERS | (last ? END_STREAM : 0),
        stream,
        block(stream, headers));
    return stream;
  }

  byte[] block(int stream, Http2Headers headers) {
    ByteBuf block = Unpooled.buffer();
    try {
      encoder.encodeHeaders(stream, headers, block);
    } catch (Http2Exception e) {
      throw new IllegalArgumentException("these headers cannot be sent", e);
    }
    byte[] bytes = new byte[block.readableBytes()];
    block.readBytes(bytes);
    return bytes;
  }

  /** Sends a piece of a body in frames of the largest size, whatever the window. */
  void data(int stream, byte[] bytes, boolean last) throws IOException {
    int from = 0;
    do {
      int length = Math.min(MAX_FRAME_BYTES, bytes.length - from);
      byte[] part = java.util.Arrays.copyOfRange(bytes, from, from + length);
      from += length;
      boolean end = last && from == bytes.length;
      windows.merge(stream, -length, Integer::sum);
      send(Http2FrameTypes.DATA, end ? END_STREAM : 0, stream, part);
    } while (from < bytes.length);
  }

  /** What may be sent on a stream, as far as this side has heard. */
  int window(int stream) {
    return initialWindow + windows.getOrDefault(stream, 0);
  }

  /** Reads on until so many bytes may be sent. */
  void awaitWindow(int stream, int bytes) throws IOException {
    while (window(stream) < bytes && !response(stream).isOver()) {
      receive();
    }
  }

  void reset(int stream, int error) throws IOException {
    send(Http2FrameTypes.RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(error).array());
  }

  /** Reads on until the node has seen all that was sent. */
  void roundTrip() throws IOException {
    roundTrips++;
    send(Http2FrameTypes.PING, 0, 0, ByteBuffer.allocate(Long.BYTES).putLong(roundTrips).array());
    while (roundTripsBack < roundTrips) {
      receive();
    }
  }

  /** A whole exchange; what the node does not want of the body is not sent. */
  Response exchange(String method, String path, byte[] body, String... extra) throws IOException {
    int stream = request(body.length == 0, method, path, extra);
    for (int from = 0; from < body.length && !response(stream).isOver(); ) {
      int to = Math.min(body.length, from + MAX_FRAME_BYTES);
      awaitWindow(stream, to - from);
      data(stream, java.util.Arrays.copyOfRange(body, from, to), /* last= */ to == body.length);
      from = to;
    }
    return await(stream);
  }

  Response get(String path, String... extra) throws IOException {
    return exchange("GET", path, new byte[0], extra);
  }

  Response response(int stream) {
    return responses.computeIfAbsent(stream, id -> new Response());
  }

  /** Reads on until a stream is over. */
  Response await(int stream) throws IOException {
    Response response = response(stream);
    while (!response.isOver()) {
      receive();
    }
    return response;
  }

  /** Reads on until a stream's body has a text. */
  Response awaitText(int stream, String text) throws IOException {
    Response response = response(stream);
    while (!response.text().contains(text)) {
      if (response.isOver()) {
        throw new IOException("over with " + response.error + " after: " + response.text());
      }
      receive();
    }
    return response;
  }

  /** Reads on to the end of the connection, however it ends. */
  void awaitEnd() throws IOException {
    try {
      while (true) {
        receive();
      }
    } catch (EOFException | SocketException | SSLException end) {
      // What was awaited.
    }
  }

  /** Reads a frame, and does what every client does with it. */
  Frame receive() throws IOException {
    Frame frame = read();
    ByteBuf payload = Unpooled.wrappedBuffer(frame.payload());
    switch (frame.type()) {
      case Http2FrameTypes.SETTINGS -> {
        if ((frame.flags() & ACK) == 0) {
          while (payload.isReadable()) {
            set(payload.readShort(), payload.readInt());
          }
          send(Http2FrameTypes.SETTINGS, ACK, 0, new byte[0]);
        }
      }
      case Http2FrameTypes.PING -> {
        if ((frame.flags() & ACK) == 0) {
          send(Http2FrameTypes.PING, ACK, 0, frame.payload());
        } else {
          roundTripsBack = payload.readLong();
        }
      }
      case Http2FrameTypes.GO_AWAY -> {
        goAways++;
        lastStreamOfGoAway = payload.readInt();
        errorOfGoAway = payload.readInt();
      }
      case Http2FrameTypes.HEADERS -> head(frame, payload);
      case Http2FrameTypes.DATA -> {
        Response response = response(frame.stream());
        response.body.write(frame.payload());
        response.ended |= (frame.flags() & END_STREAM) != 0;
        if (opensWindows && frame.payload().length > 0) {
          openWindow(frame.stream(), frame.payload().length);
          openWindow(0, frame.payload().length);
        }
      }
      case Http2FrameTypes.WINDOW_UPDATE ->
          windows.merge(frame.stream(), payload.readInt(), Integer::sum);
      case Http2FrameTypes.RST_STREAM -> response(frame.stream()).error = payload.readInt();
      default -> {
        // The node sends no others.
      }
    }
    return frame;
  }

  private void set(int id, int value) {
    if (id == Http2CodecUtil.SETTINGS_MAX_CONCURRENT_STREAMS) {
      settingsMaxStreams = value;
    } else if (id == Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE) {
      initialWindow = value;
    }
  }

  private void head(Frame frame, ByteBuf block) throws IOException {
    if ((frame.flags() & (END_HEADERS | PADDED)) != END_HEADERS) {
      throw new IOException("the node has no such headers: " + frame);
    }
    Response response = response(frame.stream());
    try {
      Http2Headers head = decoder.decodeHeaders(frame.stream(), block);
      if (!"100".contentEquals(head.status())) {
        response.head = head;
      }
    } catch (Http2Exception e) {
      throw new IOException(e);
    }
    response.ended |= (frame.flags() & END_STREAM) != 0;
  }

  private Frame read() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int stream = in.readInt() & Integer.MAX_VALUE;
    byte[] payload = new byte[length];
    in.readFully(payload);
    return new Frame(type, flags, stream, payload);
  }

  /** Ends this side; the other may go on. */
  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** Goes away with a RST instead of a FIN. */
  void resetConnection() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
