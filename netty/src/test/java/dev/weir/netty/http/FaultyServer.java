package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.Http2Windows;
import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadGate;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.write.FailStopTls;
import dev.weir.netty.write.UnbrokenStream;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A service made of all the handlers, that answers a body with itself; and allocations that can be
 * made to fail. Ends with the proof that nothing is held.
 */
final class FaultyServer implements AutoCloseable {
  static final int BODY_BYTES = 100_000;

  /**
   * What the service is made of.
   *
   * @param tls the connections are encrypted with it, which is released at the end; null: none are
   * @param slowTime how long a peer may leave more than 64 KiB of what is there
   * @param folder for the files of bodies and of answers; null: bodies are kept in memory
   * @param thresholdBytes bodies larger than this go to a file at once
   * @param http2 whether it speaks HTTP/2, and no other
   */
  record Parts(
      AggregatorOptions options,
      @Nullable SslContext tls,
      Duration slowTime,
      @Nullable Path folder,
      int thresholdBytes,
      Echo.Way way,
      boolean http2,
      TransportUnderTest transport) {
    /** With more patience for those who read than a machine that is busy elsewhere ever takes. */
    static Parts of(AggregatorOptions options, @Nullable SslContext tls) {
      return new Parts(
          options,
          tls,
          Duration.ofMinutes(10),
          /* folder= */ null,
          Integer.MAX_VALUE,
          Echo.Way.WHOLE,
          /* http2= */ false,
          TransportUnderTest.NIO);
    }

    Parts withSlowTime(Duration time) {
      return new Parts(options, tls, time, folder, thresholdBytes, way, http2, transport);
    }

    Parts withFiles(Path files, int threshold) {
      return new Parts(options, tls, slowTime, files, threshold, way, http2, transport);
    }

    Parts answering(Echo.Way by) {
      return new Parts(options, tls, slowTime, folder, thresholdBytes, by, http2, transport);
    }

    Parts overHttp2() {
      return new Parts(
          options, tls, slowTime, folder, thresholdBytes, way, /* http2= */ true, transport);
    }

    Parts over(TransportUnderTest sockets) {
      return new Parts(options, tls, slowTime, folder, thresholdBytes, way, http2, sockets);
    }
  }

  private static final long SPILL_BYTES = 4 << 20;

  /** Netty's own. */
  private static final Duration GOODBYE_TIME = Duration.ofSeconds(3);

  /** Between two looks at what comes by itself, which leave the processor to who brings it. */
  private static final long LOOK_NANOS = 50_000;

  final Pool pool = Pool.create(PoolOptions.withLimit(16L << 20));
  private final WeirAllocator weir = new WeirAllocator(pool);
  final FailingAllocator allocator = new FailingAllocator(weir);
  final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  final WriteGate writeGate;
  final @Nullable Spill spill;
  private final Parts parts;
  private final ReadGate readGate = new ReadGate(new PoolHeadroom(pool));
  private final Admission admission = allocator.failing(new WeirAdmission(weir));
  private final EventLoopGroup loops;
  private final Channel listener;

  /** What has come from all connections together, decrypted, and been handled. */
  private final AtomicLong takenBytes = new AtomicLong();

  /** What handlers were told of, as the reason why a connection or a stream ends. */
  private final Queue<Throwable> told = new ConcurrentLinkedQueue<>();

  FaultyServer(AggregatorOptions options, SslContext tls) throws IOException {
    this(Parts.of(options, tls));
  }

  FaultyServer(Parts parts) throws IOException {
    this.parts = parts;
    writeGate =
        new WriteGate(WriteGateOptions.within(4 << 20).withSlowPeer(64 << 10, parts.slowTime()));
    spill =
        parts.folder() == null
            ? null
            : new Spill(
                parts.folder(),
                SPILL_BYTES,
                parts.thresholdBytes(),
                Duration.ofMinutes(10),
                /* maximumFiles= */ 1,
                FailingFile.disk(allocator));
    loops = parts.transport().newLoops(1);
    listener =
        parts
            .transport()
            .server(loops)
            .handler(readGate.newListenerHandler())
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, !parts.http2())
            .childOption(ChannelOption.SO_SNDBUF, 16 << 10)
            .childHandler(initializer(this::connected))
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  private static ChannelInitializer<Channel> initializer(Consumer<? super Channel> init) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        init.accept(channel);
      }
    };
  }

  private void connected(Channel channel) {
    connections.add(channel);
    if (parts.tls() != null) {
      SslHandler handler = parts.tls().newHandler(channel.alloc());
      if (parts.slowTime().compareTo(GOODBYE_TIME) < 0) {
        // Who takes nothing takes no goodbye, for which this waits.
        handler.setCloseNotifyFlushTimeoutMillis(parts.slowTime().toMillis());
      }
      FailStopTls.addTo(channel.pipeline(), handler);
    }
    channel.pipeline().addLast(new CountTaken());
    if (parts.http2()) {
      // What comes first is told as well: the codec begins to write when it is added.
      channel
          .pipeline()
          .addLast("end", new ClosedByFailures())
          .addBefore(
              "end",
              /* name= */ null,
              Http2Windows.perStream(
                  Http2FrameCodecBuilder.forServer()
                      .gracefulShutdownTimeoutMillis(0)
                      .initialSettings(Http2Settings.defaultSettings().maxConcurrentStreams(4))
                      .build()))
          .addBefore("end", /* name= */ null, new Http2MultiplexHandler(initializer(this::opened)));
    } else {
      serve(channel, new HttpServerCodec());
    }
  }

  private void opened(Channel stream) {
    stream.config().setAllocator(allocator);
    serve(stream, new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true));
  }

  private void serve(Channel channel, ChannelHandler codec) {
    BudgetedHttpAggregator aggregator =
        spill == null
            ? new BudgetedHttpAggregator(admission, parts.options())
            : new BudgetedHttpAggregator(admission, parts.options(), spill);
    channel
        .pipeline()
        .addLast(
            readGate.newHandler(),
            writeGate.newHandler(),
            codec,
            UnbrokenStream.MESSAGES,
            aggregator,
            new ChunkedWriteHandler(),
            new Echo(parts.way(), parts.folder(), told::add));
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  Socket connect() throws IOException {
    Socket client = new Socket();
    client.setReceiveBufferSize(16 << 10);
    client.setSoTimeout(60_000);
    client.connect(address());
    return client;
  }

  /** Waits until there is a connection, and so much has been taken in that came over it. */
  void awaitTaken(int bytes) {
    await("a connection", () -> !connections.isEmpty());
    await("bytes that were taken in", () -> takenBytes.get() >= bytes);
  }

  /** Waits for a state that comes by itself; fails where a test's time is over before. */
  static void await(String what, BooleanSupplier state) {
    boolean reached = state.getAsBoolean();
    while (!reached && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(LOOK_NANOS);
      reached = state.getAsBoolean();
    }
    assertThat(reached).as(what).isTrue();
  }

  static byte[] request(String length, String body) {
    return ("POST / HTTP/1.1\r\nHost: weir\r\nConnection: close\r\n" + length + "\r\n\r\n" + body)
        .getBytes(US_ASCII);
  }

  /** Waits until all connections have gone, and holds to it that they have left nothing. */
  void assertNothingIsHeld() throws IOException {
    awaitNoConnection();
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(heldHeapBytes()).isZero();
    assertThat(pool.snapshot().promisedBytes()).isZero();
    assertThat(writeGate.queuedBytes()).isZero();
    if (spill != null) {
      assertThat(OpenFiles.of(parts.folder())).isEmpty();
    }
  }

  /** What the connections that have all gone have left of the Java heap, as the pool counts it. */
  long heldHeapBytes() {
    awaitNoConnection();
    return pool.rootBudget().heapBytes();
  }

  /** What handlers were told since the last call. */
  List<Throwable> takeTold() {
    awaitNoConnection();
    List<Throwable> all = new ArrayList<>();
    for (Throwable one = told.poll(); one != null; one = told.poll()) {
      all.add(one);
    }
    return all;
  }

  /** Handlers let go of what they have when they are removed, after the channel has closed. */
  private void awaitNoConnection() {
    await("no connection", connections::isEmpty);
    for (int i = 0; i < 3 && !loops.isTerminated(); i++) {
      loops.submit(() -> {}).syncUninterruptibly();
    }
    if (spill != null) {
      // Threads of their own give back what bodies had of files.
      await("room for a file of any size", this::canSpill);
    }
  }

  private boolean canSpill() {
    SpillRoom all = SpillRoom.tryTake(spill, SPILL_BYTES);
    if (all == null) {
      return false;
    }
    all.close();
    return true;
  }

  @Override
  public void close() throws IOException {
    listener.close().syncUninterruptibly();
    connections.close().syncUninterruptibly();
    assertNothingIsHeld();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    ReferenceCountUtil.release(parts.tls());
    pool.close();
  }

  private final class CountTaken extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      int bytes = ((ByteBuf) message).readableBytes();
      ctx.fireChannelRead(message);
      takenBytes.addAndGet(bytes);
    }
  }

  /** The end of a connection of many streams. */
  private final class ClosedByFailures extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
      told.add(failure);
      ctx.close();
    }
  }
}
