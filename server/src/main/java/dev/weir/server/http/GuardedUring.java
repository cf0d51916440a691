package dev.weir.server.http;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;

/**
 * Netty's io_uring handler, except that a failure is one of its channel's.
 *
 * <p>Netty 4.2.18 lets what is thrown while it handles an event, an allocator's refusal of a buffer
 * to read with for instance, end the event loop, and with it all other connections. Here the
 * channel's own handlers hear of it.
 */
final class GuardedUring extends ForwardingIoHandler {
  private GuardedUring(IoHandler handler) {
    super(handler);
  }

  /** Makes one for each event loop. */
  static IoHandlerFactory newFactory() {
    return factory(IoUringIoHandler.newFactory(), GuardedUring::new);
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return super.register(
        handle instanceof IoUringIoHandle socket && handle instanceof Channel.Unsafe unsafe
            ? new Guarded(socket, unsafe)
            : handle);
  }

  @SuppressWarnings("try") // close() throws what Netty's does
  private record Guarded(IoUringIoHandle handle, Channel.Unsafe unsafe) implements IoUringIoHandle {
    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      try {
        handle.handle(registration, event);
      } catch (Throwable failure) {
        unsafe.voidPromise().channel().pipeline().fireExceptionCaught(failure);
      }
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
