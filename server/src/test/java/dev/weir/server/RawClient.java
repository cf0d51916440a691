package dev.weir.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A socket that says exactly what a test wants said. */
final class RawClient implements AutoCloseable {
  /** Only a node that hangs keeps a test waiting for so long. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final DividingSocket connection;
  private Socket socket;
  private InputStream in;

  RawClient(InetSocketAddress address) throws IOException {
    this(address, /* receiveBufferBytes= */ 0);
  }

  /** A small receive buffer makes a slow reader felt early; 0 is the system's choice. */
  RawClient(InetSocketAddress address, int receiveBufferBytes) throws IOException {
    connection = new DividingSocket();
    socket = connection;
    if (receiveBufferBytes > 0) {
      socket.setReceiveBufferSize(receiveBufferBytes);
    }
    socket.connect(address);
    // The last of a handshake and the first request are two writes: the second waits 40 ms
    // otherwise.
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) PATIENCE.toMillis());
    in = socket.getInputStream();
  }

  /**
   * Shakes hands; what follows is encrypted.
   *
   * @param protocols of which one is used; all that are enabled when there are none
   */
  RawClient secure(SSLContext tls, String... protocols) throws IOException {
    SSLSocket secured =
        (SSLSocket)
            tls.getSocketFactory()
                .createSocket(socket, "localhost", socket.getPort(), /* autoClose= */ true);
    if (protocols.length > 0) {
      secured.setEnabledProtocols(protocols);
    }
    secured.startHandshake();
    socket = secured;
    in = secured.getInputStream();
    return this;
  }

  /** The same connection, encrypted, beside this client that goes on to write as it likes. */
  Secured securedBeside(SSLContext tls) throws IOException {
    return securedBeside(tls, new SSLParameters());
  }

  /** The same, by protocols of one's choice. */
  Secured securedBeside(SSLContext tls, SSLParameters protocols) throws IOException {
    return new Secured(tls, socket, protocols);
  }

  /** What was started on a connection in the clear; closing it leaves the socket open. */
  static final class Secured implements AutoCloseable {
    private final SSLSocket socket;

    private Secured(SSLContext tls, Socket plain, SSLParameters protocols) throws IOException {
      socket =
          (SSLSocket)
              tls.getSocketFactory()
                  .createSocket(plain, "localhost", plain.getPort(), /* autoClose= */ false);
      socket.setSSLParameters(protocols);
      socket.startHandshake();
    }

    void send(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void readUntil(String text) throws IOException {
      StringBuilder all = new StringBuilder();
      while (all.indexOf(text) < 0) {
        int next = socket.getInputStream().read();
        if (next < 0) {
          throw new IOException("ended after: " + all);
        }
        all.append((char) next);
      }
    }

    @Override
    public void close() {
      // The socket is the other client's.
    }
  }

  /** Whether the other side ends the connection, whatever it sends before that. */
  boolean endsSoon() throws IOException {
    rest();
    return true;
  }

  /** Shakes hands once more; TLS 1.3 has no such thing. */
  void renegotiate() throws IOException {
    ((SSLSocket) socket).startHandshake();
  }

  RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** What is sent from now on comes in two parts, records of TLS too. */
  void divide() {
    connection.divides = true;
  }

  /** Ends this side; the other may go on. */
  RawClient endOutput() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** Goes away with a RST instead of a FIN. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** This side's port: what the node knows the client by. */
  int localPort() {
    return socket.getLocalPort();
  }

  /** Reads a response that has a Content-Length, or none and no body. */
  Response receive() throws IOException {
    String head = head();
    int status = Integer.parseInt(head.substring(9, 12));
    String length = header(head, "content-length");
    byte[] body = in.readNBytes(length == null ? 0 : Integer.parseInt(length));
    return new Response(status, head, new String(body, StandardCharsets.UTF_8));
  }

  /** Reads the response to a HEAD: its length is that of a body that does not come. */
  Response receiveHead() throws IOException {
    String head = head();
    return new Response(Integer.parseInt(head.substring(9, 12)), head, "");
  }

  /** Asks a node for one of its figures, 0 if it is missing; the connection goes on. */
  double metric(String name) throws IOException {
    Response response = send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").receive();
    if (response.status() != 200) {
      throw new IOException("no figures, but " + response.status() + ": " + response.body());
    }
    String figures = "\n" + response.body();
    int from = figures.indexOf("\n" + name + " ") + name.length() + 2;
    return from < name.length() + 2
        ? 0
        : Double.parseDouble(figures.substring(from, figures.indexOf('\n', from)));
  }

  /** Connections to a node that are open, this one included. */
  int openConnections() throws IOException {
    return (int) metric("weir_http_open_connections");
  }

  /** Whether the other side has ended the connection. */
  boolean isEnded() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketException e) {
      return true;
    }
  }

  /** Everything up to the other side's end. */
  String readAll() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Everything up to the connection's end, even if that is a RST. */
  String rest() throws IOException {
    return new String(restBytes(), StandardCharsets.UTF_8);
  }

  byte[] restBytes() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try {
      in.transferTo(all);
    } catch (java.net.SocketException e) {
      return all.toByteArray();
    }
    return all.toByteArray();
  }

  /** Reads so many bytes, fewer only at the other side's end. */
  int read(int bytes) throws IOException {
    return in.readNBytes(bytes).length;
  }

  /** Reads {@code bytes} or somewhat more, or to the end of the connection, however it ends. */
  long skip(long bytes) {
    long skipped = 0;
    byte[] some = new byte[8192];
    try {
      while (skipped < bytes) {
        int n = in.read(some);
        if (n < 0) {
          break;
        }
        skipped += n;
      }
    } catch (java.net.SocketException e) {
      // Reset: that is an end too.
      return skipped;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return skipped;
  }

  String readUntil(String text) throws IOException {
    StringBuilder all = new StringBuilder();
    // Each byte is looked at with those that end the text, if it does.
    while (all.indexOf(text, all.length() - text.length()) < 0) {
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
