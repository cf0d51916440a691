package dev.weir.lab.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * One HTTP upload on a connection of its own, at a fixed pace. Blocks its thread, which is best a
 * virtual one. The upload has succeeded when the server answers {@code 200} with the CRC-32C of
 * what was sent.
 */
public final class PacedUpload {
  private static final int MAX_RESPONSE_BYTES = 8 * 1024;

  private final SocketAddress server;
  private final RandomBody body;
  private final long bytesPerSecond;

  /** An upload to {@code server}, not begun. */
  public PacedUpload(SocketAddress server, RandomBody body, long bytesPerSecond) {
    this.server = server;
    this.body = body;
    this.bytesPerSecond = bytesPerSecond;
  }

  /**
   * Sends the body and awaits the answer.
   *
   * @return {@code "ok"}, or in a few words what went wrong: a status, {@code "reset"}, ...
   */
  public String run() {
    try (SocketChannel connection = SocketChannel.open(server)) {
      boolean sent = send(connection);
      String response = receive(connection);
      if (response.isEmpty()) {
        return sent ? "closed without an answer" : "connection lost";
      }
      return judge(response);
    } catch (IOException lost) {
      return "connection lost";
    }
  }

  /** Returns false if the server stopped listening; it may still have answered. */
  private boolean send(SocketChannel connection) {
    String head =
        "POST /upload HTTP/1.1\r\nHost: lab\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
            .formatted(body.lengthBytes());
    try {
      writeFully(connection, ByteBuffer.wrap(head.getBytes(US_ASCII)));
      Pace pace = new Pace(bytesPerSecond);
      for (long at = 0; at < body.lengthBytes(); ) {
        ByteBuffer part = body.slice(at, pace.stepBytes());
        at += part.remaining();
        pace.await(part.remaining());
        writeFully(connection, part);
      }
      return true;
    } catch (IOException lost) {
      return false;
    }
  }

  private static void writeFully(SocketChannel connection, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      connection.write(bytes);
    }
  }

  private static String receive(SocketChannel connection) throws IOException {
    ByteBuffer response = ByteBuffer.allocate(MAX_RESPONSE_BYTES);
    while (response.hasRemaining() && connection.read(response) >= 0) {
      // The server closes the connection after its answer.
    }
    return new String(response.array(), 0, response.position(), US_ASCII);
  }

  private String judge(String response) {
    String[] words = response.split("[ \r]", 3);
    String status = words.length > 1 ? words[1] : "no status";
    if (!status.equals("200")) {
      return status;
    }
    String checksum = response.substring(response.indexOf("\r\n\r\n") + 4);
    return checksum.equals(Long.toHexString(body.checksum())) ? "ok" : "wrong checksum";
  }
}
