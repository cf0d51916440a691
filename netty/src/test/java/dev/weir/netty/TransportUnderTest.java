package dev.weir.netty;

import dev.weir.netty.transport.WeirEpollIoHandler;
import dev.weir.netty.transport.WeirIoUringIoHandler;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Netty's transports, for the tests that go over real sockets. */
public enum TransportUnderTest {
  NIO(() -> true, NioIoHandler::newFactory, NioServerSocketChannel.class, NioSocketChannel.class),
  EPOLL(
      Epoll::isAvailable,
      WeirEpollIoHandler::newFactory,
      EpollServerSocketChannel.class,
      EpollSocketChannel.class),
  IO_URING(
      () -> WeirIoUringIoHandler.unavailabilityCause() == null,
      WeirIoUringIoHandler::newFactory,
      IoUringServerSocketChannel.class,
      IoUringSocketChannel.class);

  private final BooleanSupplier available;
  private final Supplier<IoHandlerFactory> handlers;
  private final Class<? extends ServerChannel> serverType;
  private final Class<? extends Channel> clientType;

  TransportUnderTest(
      BooleanSupplier available,
      Supplier<IoHandlerFactory> handlers,
      Class<? extends ServerChannel> serverType,
      Class<? extends Channel> clientType) {
    this.available = available;
    this.handlers = handlers;
    this.serverType = serverType;
    this.clientType = clientType;
  }

  /** Those that this machine has. */
  public static Stream<TransportUnderTest> available() {
    return Arrays.stream(values()).filter(TransportUnderTest::isAvailable);
  }

  public boolean isAvailable() {
    return available.getAsBoolean();
  }

  public EventLoopGroup newLoops(int threads) {
    return new MultiThreadIoEventLoopGroup(threads, handlers.get());
  }

  /** For loops of this transport. */
  public ServerBootstrap server(EventLoopGroup loops) {
    return new ServerBootstrap().group(loops).channel(serverType);
  }

  /** For loops of this transport. */
  public Bootstrap client(EventLoopGroup loops) {
    return new Bootstrap().group(loops).channel(clientType);
  }
}
