package dev.weir.netty.flow;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.Loopback;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plain TCP and HTTP/1.1 without permits: twice as much work arrives at once as there is memory
 * for, and every piece of it must be gathered whole before it is answered, with one byte, and
 * released.
 */
@Timeout(120)
@ParameterizedClass
@MethodSource("dev.weir.netty.TransportUnderTest#available")
class ReadGateOverSocketsTest {
  private static final long MIB = 1 << 20;
  private static final long LIMIT_BYTES = 16 * MIB;
  private static final int WORK_BYTES = 1 << 20;

  /** What is sent without it, by all clients together, is more than there is memory for. */
  private static final int LAST_BYTES = WORK_BYTES / 4;

  private static final int CLIENTS = 32;

  /** What is sent, and how its transport is read from. */
  private enum Connection {
    BYTES(/* isHttp= */ false, /* autoRead= */ true),
    BYTES_ON_DEMAND(/* isHttp= */ false, /* autoRead= */ false),
    HTTP(/* isHttp= */ true, /* autoRead= */ true),
    HTTP_ON_DEMAND(/* isHttp= */ true, /* autoRead= */ false);

    private final boolean isHttp;
    private final boolean autoRead;

    Connection(boolean isHttp, boolean autoRead) {
      this.isHttp = isHttp;
      this.autoRead = autoRead;
    }

    String head() {
      return isHttp
          ? "POST / HTTP/1.1\r\nHost: weir\r\nContent-Length: " + WORK_BYTES + "\r\n\r\n"
          : "";
    }

    Object answer(ByteBuf one) {
      return isHttp
          ? new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, one)
          : one;
    }
  }

  private final Pool pool = Pool.create(PoolOptions.withLimit(LIMIT_BYTES));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final ReadGate gate = new ReadGate(new UntilAllAreStopped());

  /** Of the channels whose work is not complete. */
  private final Set<ReadGateHandler> atWork = ConcurrentHashMap.newKeySet();

  private final TransportUnderTest transport;
  private final EventLoopGroup loops;
  private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean stopped;
  private Channel listener;

  ReadGateOverSocketsTest(TransportUnderTest transport) {
    this.transport = transport;
    loops = transport.newLoops(2);
  }

  private void listen(Connection kind) {
    listener =
        Loopback.listen(
            transport,
            loops,
            allocator,
            channel -> {
              ReadGateHandler handler = (ReadGateHandler) gate.newHandler();
              atWork.add(handler);
              channel.config().setAutoRead(kind.autoRead);
              channel.pipeline().addLast(handler);
              if (kind.isHttp) {
                channel.pipeline().addLast(new HttpServerCodec());
              }
              channel
                  .pipeline()
                  .addLast(new GatherWhole(kind, failures, () -> atWork.remove(handler)));
            });
  }

  @AfterEach
  void nothingIsHeld() throws InterruptedException {
    listener.close().sync();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertThat(pool.liveBlockBytes()).isZero();
    pool.close();
  }

  @ParameterizedTest
  @EnumSource(Connection.class)
  void twiceTheMemoryGetsThroughWithoutARefusal(Connection kind) throws Exception {
    listen(kind);
    List<Callable<Integer>> clients =
        Collections.nCopies(CLIENTS, () -> sendAndAwaitAnswer(kind.head()));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Integer> answer : threads.invokeAll(clients)) {
        assertThat(answer.get()).isEqualTo(1);
      }
    }
    assertThat(failures).isEmpty();
    assertThat(gate.closings()).isPositive();
    assertThat(pool.peakResidentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
  }

  /**
   * Nobody ends before the gate has stopped somebody: however the clients take turns, all are at it
   * at once.
   */
  private int sendAndAwaitAnswer(String head) throws IOException {
    InetSocketAddress address = (InetSocketAddress) listener.localAddress();
    try (Socket client = new Socket(address.getAddress(), address.getPort())) {
      client.getOutputStream().write(head.getBytes(US_ASCII));
      client.getOutputStream().write(new byte[WORK_BYTES - LAST_BYTES]);
      while (!stopped && !Thread.currentThread().isInterrupted()) {
        if (gate.pausedChannels() > 0) {
          stopped = true;
        }
        LockSupport.parkNanos(1_000_000);
      }
      client.getOutputStream().write(new byte[LAST_BYTES]);
      int read = client.getInputStream().read();
      while (read > 1) {
        // A head.
        read = client.getInputStream().read();
      }
      return read;
    }
  }

  /**
   * Waits end in vain only when nobody at work can read: a client that a busy machine keeps from
   * sending is not one that has nothing more, and each turn that is given takes memory.
   */
  private final class UntilAllAreStopped implements Headroom {
    private final PoolHeadroom headroom =
        new PoolHeadroom(pool, 6 * MIB, 7 * MIB, Duration.ofMillis(20));

    @Override
    public boolean isShort() {
      return headroom.isShort();
    }

    @Override
    public boolean isTight() {
      return headroom.isTight();
    }

    @Override
    public CompletionStage<Boolean> relief() {
      return headroom
          .relief()
          .thenCompose(relieved ->
              relieved || atWork.stream().allMatch(ReadGateHandler::isQueued)
                  ? CompletableFuture.completedStage(relieved)
                  : relief());
    }
  }

  private static final class GatherWhole extends ChannelInboundHandlerAdapter {
    private final Connection kind;
    private final List<Throwable> failures;
    private final Runnable atEnd;
    private CompositeByteBuf gathered;

    GatherWhole(Connection kind, List<Throwable> failures, Runnable atEnd) {
      this.kind = kind;
      this.failures = failures;
      this.atEnd = atEnd;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      askForMore(ctx);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      askForMore(ctx);
    }

    private void askForMore(ChannelHandlerContext ctx) {
      if (!kind.autoRead) {
        ctx.read();
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof HttpRequest) {
        return;
      }
      ByteBuf received =
          message instanceof HttpContent content ? content.content() : (ByteBuf) message;
      try {
        if (gathered == null) {
          gathered = ctx.alloc().compositeDirectBuffer(WORK_BYTES);
        }
        ByteBuf copy = ctx.alloc().directBuffer(received.readableBytes());
        gathered.addComponent(/* increaseWriterIndex= */ true, copy.writeBytes(received));
      } finally {
        received.release();
      }
      if (gathered.readableBytes() == WORK_BYTES) {
        drop();
        atEnd.run();
        ctx.writeAndFlush(kind.answer(ctx.alloc().directBuffer(1).writeByte(1)));
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      drop();
      atEnd.run();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
      if (failure instanceof OutOfMemoryError) {
        failures.add(failure);
      }
      ctx.close();
    }

    private void drop() {
      if (gathered != null) {
        gathered.release();
        gathered = null;
      }
    }
  }
}
