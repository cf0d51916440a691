package dev.weir.replication.testing;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A link to a server that damages or cuts what one side sends. */
public final class Proxy implements Closeable {
  /** What happens to a part of the answers; one for each connection. */
  public interface Link {
    /**
     * Looks at bytes, and may change them.
     *
     * @return how many of them pass; fewer than there are cut the connection
     */
    int pass(byte[] bytes, int count);
  }

  /** Makes the link of each connection, counted from 0. */
  public interface Links {
    /** The link of a connection. */
    Link connection(int number);
  }

  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /** Listens on a free port, and looks at what the server sends. */
  public Proxy(int serverPort, Links links) throws IOException {
    this(serverPort, number -> (bytes, count) -> count, links);
  }

  /** Listens on a free port, and looks at what the client sends. */
  public static Proxy ofRequests(int serverPort, Links links) throws IOException {
    return new Proxy(serverPort, links, number -> (bytes, count) -> count);
  }

  private Proxy(int serverPort, Links requests, Links answers) throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(() -> {
      for (int number = 0; ; number++) {
        try {
          Socket client = listener.accept();
          sockets.add(client);
          Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
          sockets.add(server);
          Link link = answers.connection(number);
          Link up = requests.connection(number);
          Thread.startVirtualThread(() -> copy(client, server, up));
          Thread.startVirtualThread(() -> copy(server, client, link));
        } catch (IOException closed) {
          return;
        }
      }
    });
  }

  private static void copy(Socket from, Socket to, Link link) {
    byte[] bytes = new byte[16 << 10];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
        int passed = link.pass(bytes, count);
        out.write(bytes, 0, passed);
        if (passed < count) {
          return;
        }
      }
    } catch (IOException closed) {
      // Either end.
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", listener.getLocalPort());
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
