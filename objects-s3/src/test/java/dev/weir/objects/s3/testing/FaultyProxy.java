package dev.weir.objects.s3.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Stands between a client and a service on loopback: delays what passes, and cuts connections. */
public final class FaultyProxy implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;

  private final ServerSocket server;
  private final URI target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Deque<Long> cuts = new ConcurrentLinkedDeque<>();
  private final AtomicInteger connections = new AtomicInteger();
  private volatile long delayNanos;
  private volatile boolean isSilent;

  /** In front of a service. */
  public FaultyProxy(URI target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  /** Where it listens. */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  /** Each piece of an answer waits as long. */
  public void delay(long nanos) {
    delayNanos = nanos;
  }

  /** The next new connection is cut after so many bytes of its answers. */
  public void cutAfter(long bytes) {
    cuts.add(bytes);
  }

  /** From now on no byte of an answer passes; connections stay open. */
  public void silence(boolean silent) {
    isSilent = silent;
  }

  /** Cuts all connections. */
  public void cutAll() {
    sockets.forEach(FaultyProxy::closeQuietly);
  }

  /** How many connections there have been. */
  public int connections() {
    return connections.get();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Socket service = new Socket(InetAddress.getLoopbackAddress(), target.getPort());
        client.setTcpNoDelay(true);
        service.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(service);
        connections.incrementAndGet();
        Long cut = cuts.poll();
        Thread.ofVirtual().start(() -> pump(client, service, Long.MAX_VALUE, false));
        Thread.ofVirtual()
            .start(() -> pump(service, client, cut == null ? Long.MAX_VALUE : cut, true));
      } catch (IOException e) {
        // Closed, or the service is gone: the next one may fare better.
      }
    }
  }

  private void pump(Socket from, Socket to, long most, boolean isAnswer) {
    byte[] buffer = new byte[BUFFER_BYTES];
    long left = most;
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read; left > 0 && (read = in.read(buffer)) > 0; ) {
        if (isAnswer && delayNanos > 0) {
          LockSupport.parkNanos(delayNanos);
        }
        if (isAnswer && isSilent) {
          continue;
        }
        out.write(buffer, 0, (int) Math.min(read, left));
        left -= read;
      }
    } catch (IOException e) {
      // Cut.
    }
    closeQuietly(from);
    closeQuietly(to);
    sockets.remove(from);
    sockets.remove(to);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Closed it is.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    cutAll();
  }
}
