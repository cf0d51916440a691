package dev.weir.benchmarks.streams.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reader of a stream on a connection of its own, which counts bytes and looks at none: it follows
 * the offsets that the server names, to the end. One thread's.
 */
final class CatchUp implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 << 10;
  private static final String END_OF_HEAD = "\r\n\r\n";
  private static final Pattern LENGTH = header("content-length", "\\d+");
  private static final Pattern NEXT_OFFSET = header("stream-next-offset", "[^\\r]+");
  private static final Pattern UP_TO_DATE = header("stream-up-to-date", "true");
  private static final Pattern CHUNKED = header("transfer-encoding", "chunked");

  private final Target target;
  private final LongAdder received;
  private final SocketChannel channel;

  /** Ready to be read from. */
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();

  /**
   * A connection.
   *
   * @param received counts the bytes of bodies as they come
   */
  CatchUp(Target target, LongAdder received) throws IOException {
    this.target = target;
    this.received = received;
    this.channel = SocketChannel.open(target.server());
  }

  private static Pattern header(String name, String value) {
    return Pattern.compile(
        "\\r\\n%s: *(%s)\\r\\n".formatted(name, value), Pattern.CASE_INSENSITIVE);
  }

  /** Reads the first stream of the target; how many bytes it had. */
  long read() throws IOException {
    long bytes = 0;
    String offset = "-1";
    while (true) {
      send(offset);
      String head = head();
      if (!head.startsWith("HTTP/1.1 200")) {
        throw new IOException("a read was answered: " + head.lines().findFirst().orElse(""));
      }
      bytes += skipBody(head);
      Matcher next = NEXT_OFFSET.matcher(head);
      if (UP_TO_DATE.matcher(head).find() || !next.find() || next.group(1).equals(offset)) {
        return bytes;
      }
      offset = next.group(1);
    }
  }

  private void send(String offset) throws IOException {
    String request =
        "GET %s?offset=%s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(target.path(1), offset);
    for (ByteBuffer out = ByteBuffer.wrap(request.getBytes(US_ASCII)); out.hasRemaining(); ) {
      channel.write(out);
    }
  }

  /** The head; the body begins behind it in the buffer. */
  private String head() throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf(END_OF_HEAD, Math.max(0, head.length() - END_OF_HEAD.length())) < 0) {
      head.append((char) next());
    }
    return head.toString();
  }

  private byte next() throws IOException {
    if (!buffer.hasRemaining()) {
      refill();
    }
    return buffer.get();
  }

  private void refill() throws IOException {
    buffer.clear();
    if (channel.read(buffer) < 0) {
      throw new EOFException("the server closed the connection in an answer");
    }
    buffer.flip();
  }

  private long skipBody(String head) throws IOException {
    if (CHUNKED.matcher(head).find()) {
      return skipChunks();
    }
    Matcher length = LENGTH.matcher(head);
    if (!length.find()) {
      throw new IOException("an answer has no length");
    }
    long bytes = Long.parseLong(length.group(1));
    skip(bytes);
    return bytes;
  }

  private long skipChunks() throws IOException {
    long bytes = 0;
    while (true) {
      long size = Long.parseLong(line(), 16);
      skip(size);
      bytes += size;
      line();
      if (size == 0) {
        return bytes;
      }
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (char c = (char) next(); c != '\n'; c = (char) next()) {
      line.append(c);
    }
    return line.toString().strip();
  }

  private void skip(long bytes) throws IOException {
    for (long left = bytes; left > 0; ) {
      if (!buffer.hasRemaining()) {
        refill();
      }
      int step = (int) Math.min(left, buffer.remaining());
      buffer.position(buffer.position() + step);
      left -= step;
      received.add(step);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
