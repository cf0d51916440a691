package dev.weir.examples;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A socket with a small receive buffer, so that a client that does not read is felt early. */
final class SlowClient {
  private SlowClient() {}

  static Socket connect(int port) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(8192);
    socket.setSoTimeout(60_000);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return socket;
  }
}
