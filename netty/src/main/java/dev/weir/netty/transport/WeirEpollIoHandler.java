package dev.weir.netty.transport;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;

/**
 * Netty's epoll handler, except that a socket which waits for nothing stays in the epoll set, and
 * that the end of a client's side is found by reading up to it. Channels are Netty's own: {@code
 * EpollServerSocketChannel} and its kin.
 *
 * <p>Once epoll has told Netty of that end, all that is before it is read at once, whoever has
 * asked for it: as much as the kernel holds, many times the share of a connection.
 *
 * <p>Netty 4.2.18 takes such a socket out of the set, and later fails to change what it waits for,
 * since it is not there: the output of a client that had ended its side is cut off at the first
 * write that does not go out at once, and the connection stays open. A socket whose only interest
 * is "edge-triggered" stays in the set and reports errors once, so it wakes nobody in vain.
 *
 * <p>A socket that is no longer to be read is told to epoll only once it has input. A client that
 * waits for each answer then costs no system call of that kind.
 */
public final class WeirEpollIoHandler {
  private WeirEpollIoHandler() {}

  /**
   * Makes one for each event loop.
   *
   * @throws UnsupportedOperationException if Netty is older than 4.2.13
   */
  public static IoHandlerFactory newFactory() {
    LeastNetty.EPOLL.require();
    return ForwardingIoHandler.factory(EpollIoHandler.newFactory(), Handler::new);
  }

  private static final class Handler extends ForwardingIoHandler {
    Handler(IoHandler handler) {
      super(handler);
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      if (!(handle instanceof EpollIoHandle socket)) {
        return super.register(handle);
      }
      LazyEpollHandle lazy = new LazyEpollHandle(socket);
      return lazy.registered(super.register(lazy));
    }
  }
}
