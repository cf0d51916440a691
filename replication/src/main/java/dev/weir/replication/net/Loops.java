package dev.weir.replication.net;

import dev.weir.netty.transport.WeirEpollIoHandler;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Event loops of one side, and the channels that fit them: epoll where there is, else NIO. Not
 * io_uring: its file regions have offsets of 31 bits (Netty 4.2.18).
 */
public final class Loops implements AutoCloseable {
  private static final boolean EPOLL = Epoll.isAvailable();

  private final EventLoopGroup group;
  private final Set<Channel> owned = ConcurrentHashMap.newKeySet();
  private volatile boolean closing;

  /** Starts so many loops, whose threads have this name. */
  public Loops(String name, int count) {
    group =
        new MultiThreadIoEventLoopGroup(
            count,
            new DefaultThreadFactory(name, /* daemon= */ true),
            EPOLL ? WeirEpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  /** The loops. */
  public EventLoopGroup group() {
    return group;
  }

  /** The type of channels that listen. */
  public Class<? extends ServerChannel> listeners() {
    return EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /** The type of channels that connect. */
  public Class<? extends Channel> clients() {
    return EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /**
   * Takes a channel that has just been registered: it is closed with the loops, and its handlers
   * are told so.
   */
  public void own(Channel channel) {
    owned.add(channel);
    channel.closeFuture().addListener(closed -> owned.remove(channel));
    if (closing) {
      channel.close();
    }
  }

  /**
   * Closes the channels, then ends the loops.
   *
   * <p>Netty (4.2.18) would close the channels itself, unless it hears of the end while it runs
   * tasks: without a quiet period it leaves the loop then, with sockets open and handlers untold.
   */
  @Override
  public void close() {
    closing = true;
    for (Channel channel : owned) {
      if (!channel.eventLoop().isShuttingDown()) {
        // As Netty does: at once, without the last words of TLS.
        channel.eventLoop().execute(() -> channel.unsafe().close(channel.unsafe().voidPromise()));
      }
    }
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
