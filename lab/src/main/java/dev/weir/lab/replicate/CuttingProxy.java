package dev.weir.lab.replicate;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Passes bytes on over loopback, and cuts all its connections in a fixed rhythm. */
final class CuttingProxy implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;

  private final ServerSocket listener;
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger cuts = new AtomicInteger();

  private CuttingProxy(ServerSocket listener, int target) {
    this.listener = listener;
    this.target = target;
  }

  /** Starts in front of a port of this host. */
  static CuttingProxy start(int target, int periodMillis) throws IOException {
    CuttingProxy proxy =
        new CuttingProxy(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()), target);
    Thread.ofPlatform().daemon().name("proxy-accept").start(proxy::accept);
    Thread.ofPlatform().daemon().name("proxy-cut").start(() -> proxy.cut(periodMillis));
    return proxy;
  }

  int port() {
    return listener.getLocalPort();
  }

  /** How many connections it has cut. */
  int cuts() {
    return cuts.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        open.add(client);
        open.add(server);
        pass(client, server);
        pass(server, client);
      }
    } catch (IOException closed) {
      end();
    }
  }

  private void pass(Socket from, Socket to) {
    Thread.ofPlatform()
        .daemon()
        .name("proxy-pass")
        .start(() -> {
          try (from;
              to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
              out.write(buffer, 0, count);
            }
          } catch (IOException cut) {
            // The other direction ends with it.
          } finally {
            open.remove(from);
          }
        });
  }

  private void cut(int periodMillis) {
    while (!listener.isClosed()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(periodMillis));
      cuts.addAndGet(open.size() / 2);
      end();
    }
  }

  private void end() {
    for (Socket socket : open) {
      try {
        socket.close();
      } catch (IOException already) {
        // It is closed in any case.
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    end();
  }
}
