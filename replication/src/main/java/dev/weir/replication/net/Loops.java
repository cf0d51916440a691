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
import java.util.concurrent.TimeUnit;

/**
 * Event loops of one side, and the channels that fit them: epoll where there is, else NIO. Not
 * io_uring: its file regions have offsets of 31 bits (Netty 4.2.18).
 */
public final class Loops implements AutoCloseable {
  private static final boolean EPOLL = Epoll.isAvailable();

  private final EventLoopGroup group;

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

  @Override
  public void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
