package dev.weir.server.http;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;

/** How sockets are watched. */
public enum Transport {
  /** Linux alone. */
  EPOLL {
    @Override
    IoHandlerFactory handlers() {
      return KeptInEpoll.newFactory();
    }

    @Override
    Class<? extends ServerChannel> channelType() {
      return EpollServerSocketChannel.class;
    }
  },
  NIO {
    @Override
    IoHandlerFactory handlers() {
      return NioIoHandler.newFactory();
    }

    @Override
    Class<? extends ServerChannel> channelType() {
      return NioServerSocketChannel.class;
    }
  };

  abstract IoHandlerFactory handlers();

  abstract Class<? extends ServerChannel> channelType();

  /** Epoll where its native library loads, else NIO. */
  public static Transport best() {
    return Epoll.isAvailable() ? EPOLL : NIO;
  }
}
