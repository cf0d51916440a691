package dev.weir.netty.transport;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import org.jspecify.annotations.Nullable;

/**
 * Netty's io_uring handler, except that a failure is one of its channel's, and that the end of a
 * client's side is found by reading up to it. Channels are Netty's own: {@code
 * IoUringServerSocketChannel} and its kin.
 *
 * <p>Netty 4.2.18 lets what is thrown while it handles an event, an allocator's refusal of a buffer
 * to read with for instance, end the event loop, and with it all other connections. Here the
 * channel's own handlers hear of it.
 *
 * <p>Once Netty is told of a client's end, it reads all that is before it at once, whoever has
 * asked for it: as much as the kernel holds, many times the share of a connection. So the poll that
 * tells of it is called off as it does, unless the connection is gone: of that it has to tell.
 *
 * <p>A poll that stays armed tells of a change once: Netty 4.2.18 never hears of a client's RST
 * that comes together with its last bytes, and its connection stays open. A poll for each read
 * tells of what is. Netty reads which it uses from a system property, {@code
 * io.netty.iouring.pollAddMultishotEnabled}, when its io_uring is used for the first time; this
 * class sets it to {@code false} unless it is set, so it has to come before {@code IoUring}.
 */
public final class WeirIoUringIoHandler {
  /** The kernel's numbers, on all processors that Netty has io_uring for. */
  private static final byte POLL_ADD = 6;

  private static final int POLL_ERROR = 0x8;
  private static final int POLL_HANG_UP = 0x10;
  private static final int POLL_END = 0x2000;
  private static final int CALLED_OFF = -125;

  /** Netty takes what is called off for any of its polls; so the others stay armed. */
  private static final int POLLS_STAY = 0x2;

  private static final String POLL_STAYS_ARMED = "io.netty.iouring.pollAddMultishotEnabled";

  static {
    if (System.getProperty(POLL_STAYS_ARMED) == null) {
      System.setProperty(POLL_STAYS_ARMED, "false");
    }
  }

  private WeirIoUringIoHandler() {}

  /**
   * Why io_uring cannot be used in this process, a Netty older than 4.2.14 for instance; null when
   * it can.
   */
  public static @Nullable Throwable unavailabilityCause() {
    UnsupportedOperationException tooOld = LeastNetty.IO_URING.refusal();
    return tooOld != null ? tooOld : IoUring.unavailabilityCause();
  }

  /**
   * Makes one for each event loop.
   *
   * @throws UnsupportedOperationException if Netty is older than 4.2.14
   */
  public static IoHandlerFactory newFactory() {
    LeastNetty.IO_URING.require();
    return ForwardingIoHandler.factory(IoUringIoHandler.newFactory(), Handler::new);
  }

  private static final class Handler extends ForwardingIoHandler {
    Handler(IoHandler handler) {
      super(handler);
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      return super.register(
          handle instanceof IoUringIoHandle socket && handle instanceof Channel.Unsafe unsafe
              ? new Guarded(socket, unsafe)
              : handle);
    }
  }

  @SuppressWarnings("try") // close() throws what Netty's does
  private record Guarded(IoUringIoHandle handle, Channel.Unsafe unsafe) implements IoUringIoHandle {
    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      try {
        handle.handle(registration, withoutEnd((IoUringIoEvent) event));
      } catch (Throwable failure) {
        unsafe.voidPromise().channel().pipeline().fireExceptionCaught(failure);
      }
    }

    /** Each poll tells of the end; one has been made for nothing else. */
    private static IoUringIoEvent withoutEnd(IoUringIoEvent event) {
      int polled = event.res();
      if (event.opcode() != POLL_ADD
          || polled < 0
          || (polled & (POLL_END | POLL_ERROR | POLL_HANG_UP)) != POLL_END) {
        return event;
      }
      return polled == POLL_END
          ? with(event, CALLED_OFF, event.flags() | POLLS_STAY)
          : with(event, polled & ~POLL_END, event.flags());
    }

    private static IoUringIoEvent with(IoUringIoEvent event, int result, int flags) {
      return new IoUringIoEvent(result, flags, event.opcode(), event.userData());
    }

    @Override
    public void registered() {
      handle.registered();
    }

    @Override
    public void unregistered() {
      handle.unregistered();
    }

    @Override
    public void close() throws Exception {
      handle.close();
    }
  }
}
