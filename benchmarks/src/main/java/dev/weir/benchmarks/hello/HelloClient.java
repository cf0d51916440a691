package dev.weir.benchmarks.hello;

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

  private final int depth;
  private final ByteBuffer requests;
  private final ByteBuffer answers;
  private final SocketChannel channel;

  /** How long an answer is; 0 before the first. */
  private int answerBytes;

  /** A connection on which {@code depth} requests go out at once. */
  HelloClient(SocketAddress server, int depth) throws IOException {
    this.depth = depth;
    requests = ByteBuffer.allocateDirect(depth * REQUEST.length);
    while (requests.hasRemaining()) {
      requests.put(REQUEST);
    }
    answers = ByteBuffer.allocateDirect(depth * ANSWER_BYTES);
    channel = SocketChannel.open(server);
  }

  /** Sends the requests and waits for the end of the last answer; the first time, one request. */
  void greet() throws IOException {
    if (answerBytes == 0) {
      send(REQUEST.length);
      do {
        read();
      } while (!endsWithTheBody());
      answerBytes = answers.position();
    } else {
      send(requests.capacity());
      while (answers.position() < depth * answerBytes) {
        read();
      }
    }
  }

  private void send(int bytes) throws IOException {
    requests.clear().limit(bytes);
    while (requests.hasRemaining()) {
      channel.write(requests);
    }
    answers.clear();
  }

  private void read() throws IOException {
    if (channel.read(answers) < 0) {
      throw new EOFException("the server closed the connection instead of answering");
    }
  }

  private boolean endsWithTheBody() {
    return US_ASCII.decode(answers.duplicate().flip()).toString().endsWith(HelloServer.BODY);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
