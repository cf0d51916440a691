package dev.weir.lab.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.zip.CRC32C;

/**
 * One HTTP download on a connection of its own, taken at a fixed pace, with little room in the
 * socket so that the server feels it. Blocks its thread, which is best a virtual one.
 */
public final class PacedDownload {
  private static final int SOCKET_BYTES = 64 * 1024;
  private static final int MAX_HEAD_BYTES = 8 * 1024;
  private static final String END_OF_HEAD = "\r\n\r\n";

  private final SocketAddress server;
  private final RandomBody expected;
  private final long bytesPerSecond;

  /** A download of {@code /download?bytes=N} from {@code server}, not begun. */
  public PacedDownload(SocketAddress server, RandomBody expected, long bytesPerSecond) {
    this.server = server;
    this.expected = expected;
    this.bytesPerSecond = bytesPerSecond;
  }

  /**
   * Asks for the body and takes it.
   *
   * @return {@code "ok"} if it is the expected one, or in a few words what went wrong
   */
  public String run() {
    try (SocketChannel connection = SocketChannel.open()) {
      connection.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
      connection.connect(server);
      ByteBuffer request = US_ASCII.encode(request());
      while (request.hasRemaining()) {
        connection.write(request);
      }
      return receive(connection);
    } catch (IOException lost) {
      return "connection lost";
    }
  }

  private String request() {
    return "GET /download?bytes=%d HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n"
        .formatted(expected.lengthBytes());
  }

  private String receive(SocketChannel connection) throws IOException {
    Pace pace = new Pace(bytesPerSecond);
    ByteBuffer part = ByteBuffer.allocate(Math.max(MAX_HEAD_BYTES, pace.stepBytes()));
    String head = readHead(connection, part);
    if (!head.startsWith("HTTP/1.1 200 ")) {
      String[] words = head.split("[ \r]", 3);
      return words.length > 1 ? words[1] : "closed without an answer";
    }
    CRC32C crc = new CRC32C();
    long bytes = part.remaining();
    crc.update(part);
    while (true) {
      part.clear().limit(pace.stepBytes());
      int read = connection.read(part);
      if (read < 0) {
        break;
      }
      bytes += read;
      crc.update(part.flip());
      pace.await(read);
    }
    return bytes != expected.lengthBytes()
        ? "cut short"
        : crc.getValue() == expected.checksum() ? "ok" : "wrong checksum";
  }

  /** Reads the head, and leaves in {@code part} what came of the body with it. */
  private static String readHead(SocketChannel connection, ByteBuffer part) throws IOException {
    part.limit(MAX_HEAD_BYTES);
    while (part.hasRemaining() && connection.read(part) >= 0) {
      String text = US_ASCII.decode(part.duplicate().flip()).toString();
      int end = text.indexOf(END_OF_HEAD);
      if (end >= 0) {
        part.flip().position(end + END_OF_HEAD.length());
        return text.substring(0, end);
      }
    }
    part.flip().position(part.limit());
    return "";
  }
}
