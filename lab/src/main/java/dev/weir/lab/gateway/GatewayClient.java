package dev.weir.lab.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;

/** One connection of a client. Used by one thread. */
final class GatewayClient implements AutoCloseable {
  private static final byte[] REQUEST =
      "GET / HTTP/1.1\r\nHost: lab\r\nAccept-Encoding: zstd\r\n\r\n".getBytes(US_ASCII);
  private static final int PATIENCE_MILLIS = 10_000;
  private static final int HEXADECIMAL = 16;

  private final Socket socket;
  private final InputStream in;

  GatewayClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Asks, and reads the whole of a response in chunks; fails if it is not compressed. */
  void ask() throws IOException {
    socket.getOutputStream().write(REQUEST);
    boolean compressed = false;
    String line = line();
    if (!line.startsWith("HTTP/1.1 200")) {
      throw new IOException("the gateway answered '" + line + "'");
    }
    while (!line.isEmpty()) {
      compressed |= line.toLowerCase(Locale.ROOT).equals("content-encoding: zstd");
      line = line();
    }
    if (!compressed) {
      throw new IOException("a response without 'content-encoding: zstd'");
    }
    for (int size = chunk(); size > 0; size = chunk()) {
      in.skipNBytes(size);
      line();
    }
    line();
  }

  /** Asks, and resets the connection when the first of the response is here. */
  void askAndVanish() throws IOException {
    socket.getOutputStream().write(REQUEST);
    if (in.read() < 0) {
      throw new IOException("the gateway closed a connection");
    }
    socket.setSoLinger(true, 0);
    socket.close();
  }

  private int chunk() throws IOException {
    return Integer.parseInt(line().strip(), HEXADECIMAL);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int letter = in.read(); letter != '\n'; letter = in.read()) {
      if (letter < 0) {
        throw new IOException("the gateway closed a connection");
      }
      if (letter != '\r') {
        line.append((char) letter);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
