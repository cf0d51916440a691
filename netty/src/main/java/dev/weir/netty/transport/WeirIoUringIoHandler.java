package dev.weir.netty.transport;

import static java.util.Objects.requireNonNull;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringBufferRingConfig;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Netty's io_uring handler, except that a failure is one of its channel's, that a read for which
 * there is no memory closes its channel, and that the end of a client's side is found by reading up
 * to it. Channels are Netty's own: {@code IoUringServerSocketChannel} and its kin.
 *
 * <p>Netty 4.2.18 lets what is thrown while it handles an event, an allocator's refusal of a buffer
 * to read with for instance, end the event loop, and with it all other connections. Here the
 * channel's own handlers hear of it. A refused read that ends nothing else leaves a channel open
 * that never reads again; here it closes the channel, once its handlers have heard, as NIO and
 * epoll do. A handler at the front of each pipeline sees to that, and to no read behind a close.
 *
 * <p>A ring of buffers survives that it cannot be filled again: small buffers of the JVM's own
 * memory, 1 KiB each, take the places of those that were refused. The channel whose read needed one
 * gets what was read, and is closed.
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

  private static final byte RECEIVE = 27;
  private static final byte RECEIVE_MESSAGE = 10;

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
    return newFactory(new IoUringIoHandlerConfig());
  }

  /**
   * Makes one for each event loop.
   *
   * @param config read during this call; its rings have the allocators that it says
   * @throws UnsupportedOperationException if Netty is older than 4.2.14
   */
  @SuppressWarnings("exports") // Netty's io_uring is there for those who call this.
  public static IoHandlerFactory newFactory(IoUringIoHandlerConfig config) {
    LeastNetty.IO_URING.require();
    return Rings.factory(config);
  }

  /** What an older Netty has no classes for. */
  private static final class Rings {
    private Rings() {}

    static IoHandlerFactory factory(IoUringIoHandlerConfig config) {
      List<IoUringBufferRingConfig> rings = of(config);
      if (rings.isEmpty()) {
        return ForwardingIoHandler.factory(IoUringIoHandler.newFactory(config), Handler::new);
      }
      // Netty copies it, and lets nobody else do that.
      config.setBufferRingConfig(
          rings.stream().map(Rings::refilled).toArray(IoUringBufferRingConfig[]::new));
      try {
        return ForwardingIoHandler.factory(IoUringIoHandler.newFactory(config), Handler::new);
      } finally {
        config.setBufferRingConfig(rings.toArray(IoUringBufferRingConfig[]::new));
      }
    }

    private static List<IoUringBufferRingConfig> of(IoUringIoHandlerConfig config) {
      requireNonNull(config, "config");
      try {
        return config.getBufferRingConfigs();
      } catch (NullPointerException none) {
        // Netty 4.2.18 says so that there are none.
        return List.of();
      }
    }

    private static IoUringBufferRingConfig refilled(IoUringBufferRingConfig ring) {
      return IoUringBufferRingConfig.builder()
          .bufferGroupId(ring.bufferGroupId())
          .bufferRingSize(ring.bufferRingSize())
          .batchSize(ring.batchSize())
          .incremental(ring.isIncremental())
          .batchAllocation(ring.isBatchAllocation())
          .allocator(new RefillAllocator(ring.allocator()))
          .build();
    }
  }

  private static final class Handler extends ForwardingIoHandler {
    Handler(IoHandler handler) {
      super(handler);
    }

    @Override
    public void initialize() {
      super.initialize();
      // The first filling of its rings is no channel's.
      RefillAllocator.takeRefusal();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      if (!(handle instanceof IoUringIoHandle socket)
          || !(handle instanceof Channel.Unsafe unsafe)) {
        return super.register(handle);
      }
      Channel channel = unsafe.voidPromise().channel();
      return super.register(new Guarded(socket, channel.pipeline(), GuardedReads.of(channel)));
    }
  }

  @SuppressWarnings("try") // close() throws what Netty's does
  private record Guarded(
      IoUringIoHandle handle, ChannelPipeline pipeline, @Nullable GuardedReads reads)
      implements IoUringIoHandle {
    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      IoUringIoEvent seen = withoutEnd((IoUringIoEvent) event);
      if (reads == null || !mayRead(seen.opcode())) {
        handleOrTell(registration, seen);
        return;
      }
      reads.inTransport(true);
      handleOrTell(registration, seen);
      OutOfMemoryError refusal = RefillAllocator.takeRefusal();
      if (refusal != null) {
        pipeline.fireExceptionCaught(refusal);
      }
      reads.inTransport(false);
    }

    /** A write that has ended has listeners, which may fail as they like. */
    private static boolean mayRead(byte opcode) {
      return opcode == POLL_ADD || opcode == RECEIVE || opcode == RECEIVE_MESSAGE;
    }

    private void handleOrTell(IoRegistration registration, IoUringIoEvent event) {
      try {
        handle.handle(registration, event);
      } catch (Throwable failure) {
        pipeline.fireExceptionCaught(failure);
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
