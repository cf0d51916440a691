package dev.weir.replication.client;

import dev.weir.replication.transfer.Patience;
import dev.weir.replication.transfer.TransferException;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A server as its client sees it: idle connections, and how often it has failed. For one thread.
 */
public final class Peer {
  private final InetSocketAddress address;
  private final @Nullable SslContext tls;
  private final Patience patience;
  private final Deque<Connection> idle = new ArrayDeque<>();
  private long pausedUntilNanos = System.nanoTime();

  /**
   * A server that nobody has asked yet.
   *
   * @param tls null: in the clear
   */
  public Peer(InetSocketAddress address, @Nullable SslContext tls) {
    this.address = address;
    this.tls = tls;
    this.patience = new Patience(toString());
  }

  InetSocketAddress address() {
    return address;
  }

  @Nullable SslContext tls() {
    return tls;
  }

  /** A connection that is open and does nothing, if there is one. */
  @Nullable Connection nextIdle() {
    Connection connection = idle.pollFirst();
    while (connection != null && !connection.isOpen()) {
      connection = idle.pollFirst();
    }
    return connection;
  }

  /** Keeps a connection whose exchange has ended. */
  void keep(Connection connection) {
    if (connection.isOpen()) {
      idle.addFirst(connection);
    }
  }

  void closeIdle() {
    idle.forEach(Connection::close);
    idle.clear();
  }

  /**
   * Counts a failure, after which it is left alone for a while.
   *
   * @param progress anything that rises while the server is of use
   * @return how long, in nanoseconds
   * @throws TransferException when it was one too many, or none that another attempt can mend
   */
  public long failed(Throwable cause, long progress) throws TransferException {
    long pause = patience.failed(cause, progress);
    pausedUntilNanos = System.nanoTime() + pause;
    return pause;
  }

  boolean isPaused() {
    return System.nanoTime() - pausedUntilNanos < 0;
  }

  @Override
  public String toString() {
    return address.getHostString() + ":" + address.getPort();
  }
}
