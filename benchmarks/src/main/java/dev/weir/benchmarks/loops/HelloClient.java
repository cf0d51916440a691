package dev.weir.benchmarks.loops;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connection to a {@link HelloServer}; its memory is made when it is. One thread's. */
final class HelloClient implements AutoCloseable {
  private static final byte[] REQUEST =
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII);
  private static final int ANSWER_BYTES = 1024;

  private final ByteBuffer request = ByteBuffer.allocateDirect(REQUEST.length).put(REQUEST);
  private final ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER_BYTES);
  private final SocketChannel channel;

  HelloClient(SocketAddress server) throws IOException {
    channel = SocketChannel.open(server);
  }

  /** Sends a request and waits for the end of its answer. */
  void greet() throws IOException {
    request.rewind();
    while (request.hasRemaining()) {
      channel.write(request);
    }
    answer.clear();
    while (!isComplete()) {
      if (channel.read(answer) < 0) {
        throw new EOFException("the server closed the connection instead of answering");
      }
    }
  }

  /** Whether the body has come. */
  private boolean isComplete() {
    String text = US_ASCII.decode(answer.duplicate().flip()).toString();
    return text.endsWith(HelloServer.BODY);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
