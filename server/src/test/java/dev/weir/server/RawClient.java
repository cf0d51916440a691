package dev.weir.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A socket that says exactly what a test wants said. */
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 20_000;

  private final Socket socket;
  private final InputStream in;

  RawClient(InetSocketAddress address) throws IOException {
    socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = socket.getInputStream();
  }

  RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** Reads a response that has a Content-Length, or none and no body. */
  Response receive() throws IOException {
    String head = head();
    int status = Integer.parseInt(head.substring(9, 12));
    String length = header(head, "content-length");
    byte[] body = in.readNBytes(length == null ? 0 : Integer.parseInt(length));
    return new Response(status, head, new String(body, StandardCharsets.UTF_8));
  }

  /** Whether the other side has ended the connection. */
  boolean isEnded() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketException e) {
      return true;
    }
  }

  String readUntil(String text) throws IOException {
    StringBuilder all = new StringBuilder();
    while (all.indexOf(text) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("ended after: " + all);
      }
      all.append((char) next);
    }
    return all.toString();
  }

  private String head() throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("ended in the head: " + head);
      }
      head.write(next);
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  private static String header(String head, String name) {
    for (String line : head.split("\r\n")) {
      if (line.toLowerCase(java.util.Locale.ROOT).startsWith(name + ":")) {
        return line.substring(name.length() + 1).trim();
      }
    }
    return null;
  }

  record Response(int status, String head, String body) {
    String header(String name) {
      return RawClient.header(head, name.toLowerCase(java.util.Locale.ROOT));
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
