package dev.weir.server.http;

import dev.weir.netty.transport.WeirEpollIoHandler;
import dev.weir.netty.transport.WeirIoUringIoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import org.jspecify.annotations.Nullable;

/** How sockets are watched. */
public enum Transport {
  /** Linux alone. */
  EPOLL {
    @Override
    IoHandlerFactory handlers() {
      return WeirEpollIoHandler.newFactory();
    }

    @Override
    Class<? extends ServerChannel> channelType() {
      return EpollServerSocketChannel.class;
    }

    @Override
    @Nullable Throwable whyNot() {
      return Epoll.unavailabilityCause();
    }
  },
  /** Linux alone, where the kernel is new enough and lets the process have it. */
  IO_URING {
    @Override
    IoHandlerFactory handlers() {
      return WeirIoUringIoHandler.newFactory();
    }

    @Override
    Class<? extends ServerChannel> channelType() {
      return IoUringServerSocketChannel.class;
    }

    @Override
    @Nullable Throwable whyNot() {
      return WeirIoUringIoHandler.unavailabilityCause();
    }
  },
  /** What the JDK has, everywhere. */
  NIO {
    @Override
    IoHandlerFactory handlers() {
      return NioIoHandler.newFactory();
    }

    @Override
    Class<? extends ServerChannel> channelType() {
      return NioServerSocketChannel.class;
    }

    @Override
    @Nullable Throwable whyNot() {
      return null;
    }
  };

  private static final System.Logger LOG = System.getLogger(Transport.class.getName());

  abstract IoHandlerFactory handlers();

  abstract Class<? extends ServerChannel> channelType();

  /** Why it cannot be used in this process; null when it can. */
  abstract @Nullable Throwable whyNot();

  /** Whether it can be used in this process. */
  public boolean isAvailable() {
    return whyNot() == null;
  }

  /** This one if it can be used, else the best that can, with a line in the log that says why. */
  public Transport orBest() {
    Throwable reason = whyNot();
    if (reason == null) {
      return this;
    }
    Transport instead = best();
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} cannot be used here, {1} is used instead: {2}",
        this,
        instead,
        inner(reason));
    return instead;
  }

  /** The system's own words, where there are any. */
  private static Throwable inner(Throwable reason) {
    Throwable cause = reason.getCause();
    return cause == null ? reason : cause;
  }

  /** Epoll where its native library loads, else NIO. */
  public static Transport best() {
    return EPOLL.isAvailable() ? EPOLL : NIO;
  }
}
