package dev.weir.lab.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An upload by HTTP/1.1 on a connection of its own, as fast as the server takes it. Thread-safe:
 * each call is an upload.
 */
public final class WholeUpload {
  private static final int PIECE_BYTES = 64 << 10;
  private static final int PATIENCE_MILLIS = 30_000;
  private static final int ANSWER_BYTES = 12;
  private static final String OK = "HTTP/1.1 200";

  private final int port;
  private final AtomicLong sentBytes;

  /**
   * Uploads to the port of this machine.
   *
   * @param sentBytes what has been sent of bodies that are not answered yet
   */
  public WholeUpload(int port, AtomicLong sentBytes) {
    this.port = port;
    this.sentBytes = sentBytes;
  }

  /** Sends a body of so many bytes; returns whether the server answered that it has it. */
  public boolean send(int bytes) {
    byte[] piece = new byte[PIECE_BYTES];
    int sent = 0;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      OutputStream out = socket.getOutputStream();
      String head = "POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: " + bytes + "\r\n\r\n";
      out.write(head.getBytes(US_ASCII));
      while (sent < bytes) {
        int next = Math.min(PIECE_BYTES, bytes - sent);
        out.write(piece, 0, next);
        sent += next;
        sentBytes.addAndGet(next);
      }
      return answer(socket.getInputStream());
    } catch (IOException reset) {
      return false;
    } finally {
      sentBytes.addAndGet(-sent);
    }
  }

  private static boolean answer(InputStream in) throws IOException {
    return new String(in.readNBytes(ANSWER_BYTES), US_ASCII).equals(OK);
  }
}
