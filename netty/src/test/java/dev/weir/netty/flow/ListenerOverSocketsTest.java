package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.Loopback;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A listener that stops while memory is short: who connects then waits in the system's queue. */
@Timeout(60)
@ParameterizedClass
@MethodSource("dev.weir.netty.TransportUnderTest#available")
class ListenerOverSocketsTest {
  private static final int MIB = 1 << 20;
  private static final int LATE = 5;

  private final Pool pool = Pool.create(PoolOptions.withLimit(16 * MIB));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final ReadGate gate =
      new ReadGate(new PoolHeadroom(pool, 6 * MIB, 7 * MIB, Duration.ofMinutes(10)));
  private final EventLoopGroup loops;
  private final AtomicInteger accepted = new AtomicInteger();
  private final List<Socket> clients = new ArrayList<>();
  private final Channel listener;

  ListenerOverSocketsTest(TransportUnderTest transport) {
    loops = transport.newLoops(2);
    listener =
        Loopback.listen(
            transport,
            loops,
            allocator,
            channel -> {
              accepted.incrementAndGet();
              channel.pipeline().addLast(gate.newHandler(), new Echo());
            });
  }

  @AfterEach
  void nothingIsHeld() throws Exception {
    for (Socket client : clients) {
      client.close();
    }
    listener.close().sync();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertThat(pool.liveBlockBytes()).isZero();
    pool.close();
  }

  @Test
  void nobodyIsAcceptedUntilMemoryIsRelieved() throws Exception {
    Socket early = firstOfAGate();
    ByteBuf much = closeGate(early);
    await(() -> !listener.config().isAutoRead());
    nobodyIsAcceptedUntilItsRelease(much, early);
  }

  /**
   * Where the system has no descriptor left, Netty turns auto-read off, and a second later on
   * again.
   */
  @Test
  void aListenerThatRecoversIsHeldStill() throws Exception {
    Socket early = firstOfAGate();
    listener.eventLoop().submit(() -> listener.config().setAutoRead(false)).sync();
    ByteBuf much = closeGate(early);
    await(() ->
        listener
            .eventLoop()
            .submit(() -> ReadHolds.of(listener).held())
            .syncUninterruptibly()
            .getNow());
    listener.eventLoop().submit(() -> listener.config().setAutoRead(true)).sync();
    nobodyIsAcceptedUntilItsRelease(much, early);
  }

  private Socket firstOfAGate() throws Exception {
    listener.pipeline().addFirst(gate.newListenerHandler());
    Socket early = connect();
    assertThat(echoed(early)).isEqualTo(1);
    return early;
  }

  private ByteBuf closeGate(Socket early) throws Exception {
    ByteBuf much = allocator.directBuffer(11 * MIB);
    // Its echo may have to wait for memory: the end of the read before it closes the gate as well.
    early.getOutputStream().write(2);
    await(gate::isClosed);
    return much;
  }

  private static void await(BooleanSupplier condition) {
    boolean holds = condition.getAsBoolean();
    while (!holds && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
      holds = condition.getAsBoolean();
    }
    assertThat(holds).isTrue();
  }

  private void nobodyIsAcceptedUntilItsRelease(ByteBuf much, Socket early) throws Exception {
    List<Socket> late = new ArrayList<>();
    for (int i = 0; i < LATE; i++) {
      late.add(connect());
    }
    // The system has them all; a loop that accepts does it before it comes to the second task.
    for (int i = 0; i < 3; i++) {
      listener.eventLoop().submit(() -> {}).sync();
    }
    assertThat(accepted).hasValue(1);

    much.release();
    assertThat(early.getInputStream().read()).isEqualTo(2);
    for (Socket client : late) {
      assertThat(echoed(client)).isEqualTo(1);
    }
    assertThat(accepted).hasValue(1 + LATE);
  }

  private Socket connect() throws Exception {
    InetSocketAddress address = (InetSocketAddress) listener.localAddress();
    Socket client = new Socket(address.getAddress(), address.getPort());
    client.setSoTimeout(30_000);
    clients.add(client);
    return client;
  }

  private static int echoed(Socket client) throws Exception {
    client.getOutputStream().write(1);
    return client.getInputStream().read();
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message);
    }
  }
}
