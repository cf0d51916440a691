package dev.weir.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.inbound.Shortage;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringBufferRingConfig;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringFixedBufferRingAllocator;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A channel for which there is no memory to read with is closed, and the others go on. */
@Timeout(120)
class RefusedReadTest {
  private static final short RING = 1;
  private static final int RING_BUFFERS = 4;
  private static final int RING_BUFFER_BYTES = 4096;

  private final WeirAllocator allocator = WeirAllocator.withLimit(8L << 20);
  private final BlockingQueue<Connection> accepted = new LinkedBlockingQueue<>();
  private @Nullable EventLoopGroup loops;
  private @Nullable Channel listener;

  @AfterEach
  void everythingIsReleased() throws Exception {
    if (loops != null) {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    allocator.close();
  }

  private void listen(ServerBootstrap server) {
    listener =
        server
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Connection(channel));
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
  }

  private Socket connect() throws IOException {
    return new Socket(
        InetAddress.getLoopbackAddress(), ((InetSocketAddress) listener.localAddress()).getPort());
  }

  private Connection accepted() throws InterruptedException {
    return accepted.take();
  }

  /** Runs an action while there is no memory on the event loop, until the channel is closed. */
  private void whileShort(Runnable action, Channel closes) throws Exception {
    Shortage shortage =
        closes.eventLoop().submit(() -> new Shortage(allocator, /* leastBytes= */ 16)).get();
    action.run();
    assertThat(closes.closeFuture().await(60, TimeUnit.SECONDS)).as("closed").isTrue();
    shortage.end();
  }

  private static void send(Socket socket, int bytes) {
    try {
      socket.getOutputStream().write(new byte[bytes]);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean hasEnded(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException reset) {
      return true;
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void theChannelIsClosed(TransportUnderTest transport) throws Exception {
    loops = transport.newLoops(1);
    listen(transport.server(loops));
    try (Socket socket = connect();
        Socket other = connect()) {
      send(socket, 10);
      Connection connection = accepted();
      connection.awaitBytes(10);
      Connection beside = accepted();
      whileShort(() -> send(socket, 10), connection.channel);
      assertThat(connection.failures).hasOnlyElementsOfType(OutOfMemoryError.class).isNotEmpty();
      assertThat(hasEnded(socket)).isTrue();
      // There is memory again.
      send(other, 10);
      beside.awaitBytes(10);
    }
  }

  /** By itself, as a gate that opens does, and while the socket is known to have more. */
  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void theChannelIsClosedThatSomebodyAsksFor(TransportUnderTest transport) throws Exception {
    loops = transport.newLoops(1);
    listen(
        transport
            .server(loops)
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(64).maxMessagesPerRead(1)));
    try (Socket socket = connect()) {
      send(socket, 1000);
      Connection connection = accepted();
      connection.channel.read();
      connection.awaitBytes(64);
      whileShort(connection.channel::read, connection.channel);
      assertThat(connection.failures).hasOnlyElementsOfType(OutOfMemoryError.class).isNotEmpty();
    }
  }

  /** An application may tell others of what happened to it, and close what it likes. */
  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void nobodyElsesErrorCloses(TransportUnderTest transport) throws Exception {
    loops = transport.newLoops(1);
    listen(transport.server(loops));
    try (Socket socket = connect()) {
      Connection connection = accepted();
      connection.firesErrors = true;
      send(socket, 10);
      connection.awaitBytes(10);
      connection.firesErrors = false;
      send(socket, 10);
      connection.awaitBytes(20);
      assertThat(connection.failures).isNotEmpty();
      assertThat(connection.channel.isOpen()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRingIsWholeAgain(boolean inBatches) throws Exception {
    assumeRings();
    IoUringFixedBufferRingAllocator buffers =
        new IoUringFixedBufferRingAllocator(allocator, inBatches, RING_BUFFER_BYTES);
    IoUringBufferRingConfig ring =
        IoUringBufferRingConfig.builder()
            .bufferGroupId(RING)
            .bufferRingSize((short) RING_BUFFERS)
            .batchSize(RING_BUFFERS)
            .incremental(false)
            .batchAllocation(inBatches)
            .allocator(buffers)
            .build();
    IoUringIoHandlerConfig config = new IoUringIoHandlerConfig().setBufferRingConfig(ring);
    loops = new MultiThreadIoEventLoopGroup(1, WeirIoUringIoHandler.newFactory(config));
    assertThat(config.getBufferRingConfigs()).containsExactly(ring);
    assertThat(config.getBufferRingConfigs().getFirst().allocator()).isSameAs(buffers);
    listen(
        new ServerBootstrap()
            .group(loops)
            .channel(IoUringServerSocketChannel.class)
            .childOption(IoUringChannelOption.IO_URING_BUFFER_GROUP_ID, RING));
    for (int round = 0; round < 3; round++) {
      try (Socket socket = connect()) {
        Connection connection = accepted();
        send(socket, 10);
        connection.awaitBytes(10);
        // As many reads as the ring has buffers use it up.
        whileShort(() -> sendUntilClosed(socket, connection), connection.channel);
        assertThat(connection.failures).hasOnlyElementsOfType(OutOfMemoryError.class).isNotEmpty();
      }
      try (Socket socket = connect()) {
        Connection connection = accepted();
        byte[] sent = new byte[1 << 20];
        new SplittableRandom(round).nextBytes(sent);
        connection.expected = sent;
        socket.getOutputStream().write(sent);
        connection.awaitBytes(sent.length);
        assertThat(connection.failures).isEmpty();
      }
    }
  }

  private static void sendUntilClosed(Socket socket, Connection connection) {
    int received = connection.received;
    while (connection.channel.isOpen()) {
      try {
        socket.getOutputStream().write(new byte[10]);
      } catch (IOException closed) {
        return;
      }
      received += 10;
      connection.awaitBytesOrClose(received);
    }
  }

  /** The loop begins with a ring of small buffers. */
  @Test
  void aRingThatCannotBeFilledAtFirst() throws Exception {
    assumeRings();
    IoUringIoHandlerConfig config =
        new IoUringIoHandlerConfig()
            .setBufferRingConfig(
                IoUringBufferRingConfig.builder()
                    .bufferGroupId(RING)
                    .bufferRingSize((short) RING_BUFFERS)
                    .batchSize(RING_BUFFERS)
                    .incremental(false)
                    .allocator(new IoUringFixedBufferRingAllocator(allocator, RING_BUFFER_BYTES))
                    .build());
    EventLoopGroup started =
        new MultiThreadIoEventLoopGroup(1, WeirIoUringIoHandler.newFactory(config));
    loops = started;
    Shortage shortage = new Shortage(allocator, /* leastBytes= */ 16);
    started.submit(() -> {}).sync();
    shortage.end();
    listen(
        new ServerBootstrap()
            .group(loops)
            .channel(IoUringServerSocketChannel.class)
            .childOption(IoUringChannelOption.IO_URING_BUFFER_GROUP_ID, RING));
    try (Socket socket = connect()) {
      Connection connection = accepted();
      send(socket, 100_000);
      connection.awaitBytes(100_000);
      assertThat(connection.failures).isEmpty();
    }
  }

  @Test
  void aConfigurationWithoutRings() throws Exception {
    assumeTrue(TransportUnderTest.IO_URING.isAvailable(), "io_uring cannot be used here");
    assertThatNullPointerException()
        .isThrownBy(() -> WeirIoUringIoHandler.newFactory(null))
        .withMessage("config");
    IoUringIoHandlerConfig config = new IoUringIoHandlerConfig().setRingSize(64);
    loops = new MultiThreadIoEventLoopGroup(1, WeirIoUringIoHandler.newFactory(config));
    listen(new ServerBootstrap().group(loops).channel(IoUringServerSocketChannel.class));
    try (Socket socket = connect()) {
      send(socket, 10);
      accepted().awaitBytes(10);
    }
  }

  private static void assumeRings() {
    assumeTrue(TransportUnderTest.IO_URING.isAvailable(), "io_uring cannot be used here");
    assumeTrue(IoUring.isRegisterBufferRingSupported(), "a kernel without rings of buffers");
  }

  /** Counts what comes. */
  private final class Connection extends ChannelInboundHandlerAdapter {
    final List<Throwable> failures = new CopyOnWriteArrayList<>();
    final Channel channel;
    volatile int received;
    volatile boolean firesErrors;
    volatile byte @Nullable [] expected;

    Connection(Channel channel) {
      this.channel = channel;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      accepted.add(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      byte[] wanted = expected;
      int at = received;
      for (int i = 0; wanted != null && i < bytes.readableBytes(); i++) {
        if (bytes.getByte(bytes.readerIndex() + i) != wanted[at + i]) {
          failures.add(new AssertionError("byte " + (at + i)));
          break;
        }
      }
      if (firesErrors) {
        ctx.pipeline().fireExceptionCaught(new OutOfMemoryError("injected"));
      }
      synchronized (this) {
        received = at + bytes.readableBytes();
        notifyAll();
      }
      bytes.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      failures.add(cause);
    }

    @Override
    public synchronized void channelInactive(ChannelHandlerContext ctx) {
      notifyAll();
    }

    synchronized void awaitBytes(int bytes) throws InterruptedException {
      while (received < bytes) {
        wait();
      }
    }

    synchronized void awaitBytesOrClose(int bytes) {
      try {
        while (received < bytes && channel.isOpen()) {
          wait();
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
