package dev.weir.server.http;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringServerSocketChannel;
import org.jspecify.annotations.Nullable;

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

    @Override
    @Nullable Throwable whyNot() {
      return Epoll.unavailabilityCause();
    }
  },
  /** Linux alone, where the kernel is new enough and lets the process have it. */
  IO_URING {
    @Override
    IoHandlerFactory handlers() {
      UringSettings.unavailabilityCause();
      return GuardedUring.newFactory();
    }

    @Override
    Class<? extends ServerChannel> channelType() {
      return IoUringServerSocketChannel.class;
    }

    @Override
    @Nullable Throwable whyNot() {
      return UringSettings.unavailabilityCause();
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

  /**
   * What Netty's io_uring reads when it is used for the first time. A poll that stays armed tells
   * of a change once: Netty 4.2.18 never hears of a client's RST that comes together with its last
   * bytes, and its connection stays open. A poll for each read tells of what is.
   */
  private static final class UringSettings {
    private static final String POLL_STAYS_ARMED = "io.netty.iouring.pollAddMultishotEnabled";

    static {
      if (System.getProperty(POLL_STAYS_ARMED) == null) {
        System.setProperty(POLL_STAYS_ARMED, "false");
      }
    }

    static @Nullable Throwable unavailabilityCause() {
      return IoUring.unavailabilityCause();
    }
  }

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
