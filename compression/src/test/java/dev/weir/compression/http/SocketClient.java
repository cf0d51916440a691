package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseDecoder;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One connection to a server, byte by byte if need be. */
final class SocketClient implements AutoCloseable {
  private static final int MAX_ANSWER_BYTES = 4 << 20;

  /** The timeout of a test does not end a read. */
  private static final int READ_MILLIS = 20_000;

  private final Socket socket = new Socket();
  private final EmbeddedChannel parser =
      new EmbeddedChannel(new HttpResponseDecoder(), new HttpObjectAggregator(MAX_ANSWER_BYTES));

  /** What a server has answered; the coding is null for none. */
  record Answer(int status, String coding, byte[] content) {
    String text() {
      return new String(content, StandardCharsets.UTF_8);
    }
  }

  SocketClient(SocketAddress server) throws IOException {
    socket.setReceiveBufferSize(16 << 10);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(READ_MILLIS);
    socket.connect(server);
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.US_ASCII));
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** Ends its side alone. */
  void halfClose() throws IOException {
    socket.shutdownOutput();
  }

  /** Ends the connection with RST. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    close();
  }

  /** Takes the beginning of an answer. */
  void takeSome() throws IOException {
    takePart();
    assertThat(parser.<Object>readInbound()).as("a whole answer").isNull();
  }

  /** Takes one whole answer, and no more than a part of what follows it. */
  Answer answer() throws IOException {
    FullHttpResponse whole = parser.readInbound();
    while (whole == null) {
      assertThat(takePart()).as("the connection ended within an answer").isTrue();
      whole = parser.readInbound();
    }
    try {
      assertThat(whole.decoderResult().isSuccess()).isTrue();
      return new Answer(
          whole.status().code(),
          whole.headers().get(HttpHeaderNames.CONTENT_ENCODING),
          ByteBufUtil.getBytes(whole.content()));
    } finally {
      whole.release();
    }
  }

  /** Whether the server ends the connection with nothing more. */
  boolean isAtEnd() throws IOException {
    return socket.getInputStream().read() < 0;
  }

  private boolean takePart() throws IOException {
    byte[] part = new byte[1 << 10];
    int bytes = socket.getInputStream().read(part);
    if (bytes > 0) {
      parser.writeInbound(Unpooled.wrappedBuffer(Arrays.copyOf(part, bytes)));
    }
    return bytes > 0;
  }

  @Override
  public void close() throws IOException {
    parser.pipeline().remove(HttpObjectAggregator.class); // It minds a part of an answer.
    parser.finishAndReleaseAll();
    socket.close();
  }
}
