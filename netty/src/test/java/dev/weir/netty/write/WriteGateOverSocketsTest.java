package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Registration;
import dev.weir.netty.WeirAllocator;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.stream.ChunkedFile;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bounds on what is queued, with peers that read and peers that do not. */
@Timeout(60)
class WriteGateOverSocketsTest {
  private static final int CHANNEL_BYTES = 256 << 10;
  private static final long TOTAL_BYTES = 1 << 20;
  private static final int MESSAGE_BYTES = 16 << 10;

  /** What Netty counts for the place of a message in a channel's queue. */
  private static final int ENTRY_BYTES = 96;

  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(50);

  private final Pool pool = Pool.create(PoolOptions.withLimit(64L << 20));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
  private final BlockingQueue<OutboundClosing> closings = new LinkedBlockingQueue<>();
  private final List<Socket> clients = new ArrayList<>();
  private final List<Channel> channels = new ArrayList<>();
  private Channel listener;
  private WriteGate gate;

  private void listen(Duration slowTime) {
    gate =
        new WriteGate(
            new WriteGateOptions(CHANNEL_BYTES, TOTAL_BYTES, CHANNEL_BYTES / 4, slowTime));
    listener =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.SO_SNDBUF, 16 << 10)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            gate.newHandler(),
                            new ChunkedWriteHandler(),
                            new ChannelInboundHandlerAdapter() {
                              @Override
                              public void channelActive(ChannelHandlerContext ctx) {
                                accepted.add(ctx.channel());
                              }

                              @Override
                              public void userEventTriggered(
                                  ChannelHandlerContext ctx, Object event) {
                                if (event instanceof OutboundClosing closing) {
                                  closings.add(closing);
                                }
                              }
                            });
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  @AfterEach
  void nothingIsHeld() throws Exception {
    for (Socket client : clients) {
      client.close();
    }
    for (Channel channel : channels) {
      // An event loop that is told to end at once may forget the channels it has.
      channel.close().sync();
    }
    listener.close().sync();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertThat(gate.queuedBytes()).isZero();
    assertThat(pool.liveBlockBytes()).isZero();
    allocator.close();
    pool.close();
  }

  @Test
  void aProducerThatHeedsNothingIsStoppedAtTheBound() throws Exception {
    listen(LONG);
    Channel channel = connect();
    List<ChannelFuture> writes = new ArrayList<>();
    while (channel.isActive()) {
      writes.add(Owned.send(channel, message()));
      writes.getLast().await(1);
    }
    assertThat(closings.take().reason()).isEqualTo(OutboundClosing.Reason.CHANNEL_FULL);
    assertThat(gate.refusals()).isPositive();
    List<Throwable> failures = new ArrayList<>();
    for (ChannelFuture write : writes) {
      if (!write.await().isSuccess()) {
        failures.add(write.cause());
      }
    }
    assertThat(failures)
        .hasAtLeastOneElementOfType(WriteRefusedException.class)
        .allMatch(failure ->
            failure instanceof WriteRefusedException || failure instanceof ClosedChannelException);
  }

  @Test
  void oneMessageMayBeLargerThanTheChannelsBound() throws Exception {
    listen(LONG);
    Channel channel = connect();
    int bytes = 2 * CHANNEL_BYTES;
    ChannelFuture written = Owned.send(channel, allocator.directBuffer(bytes).writeZero(bytes));
    assertThat(read(bytes)).isEqualTo(bytes);
    assertThat(written.await().isSuccess()).isTrue();
    assertThat(gate.refusals()).isZero();
  }

  @Test
  void aSlowPeerIsClosedWithItsReason() throws Exception {
    listen(SHORT);
    Channel channel = connect();
    CompletableFuture<Throwable> stopped = new CompletableFuture<>();
    AtomicLong mostQueued = new AtomicLong();
    ChannelFuture pull =
        WriteGate.pull(
            channel,
            new Producer() {
              @Override
              public void produce(Outlet outlet) {
                while (outlet.isReady()) {
                  outlet.write(message());
                  mostQueued.accumulateAndGet(QueuedBytes.of(channel), Math::max);
                }
              }

              @Override
              public void stopped(Throwable cause) {
                stopped.complete(cause);
              }
            });
    OutboundClosing closing = closings.take();
    assertThat(closing.reason()).isEqualTo(OutboundClosing.Reason.SLOW_PEER);
    assertThat(closing.queuedBytes()).isGreaterThan(gate.options().slowBytes());
    assertThat(pull.await().cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(stopped.get()).isInstanceOf(ClosedChannelException.class);
    assertThat(gate.slowClosings()).isEqualTo(1);
    assertThat(mostQueued.get()).isBetween(1L, CHANNEL_BYTES / 2 + 2L * MESSAGE_BYTES);
  }

  @Test
  void peersThatTakeNothingAreClosedWhileOthersWaitHoweverLittleTheyHave() throws Exception {
    listen(SHORT);
    int justBelow = gate.options().slowBytes() - 1;
    while (!gate.isClosed() && closings.isEmpty()) {
      Channel channel = connect();
      channel.eventLoop().submit(() -> queueExactly(channel, justBelow)).sync();
    }
    spinWhile(() -> gate.isClosed());
    assertThat(closings)
        .isNotEmpty()
        .allMatch(closing -> closing.reason() == OutboundClosing.Reason.SLOW_PEER)
        .allMatch(closing -> closing.queuedBytes() <= justBelow);
    assertThat(gate.refusals()).isZero();
    assertThat(gate.queuedBytes()).isPositive().isLessThanOrEqualTo(TOTAL_BYTES / 2);
  }

  @Test
  void aProducerThatThrowsHasWhatItWroteSent() throws Exception {
    listen(LONG);
    Channel channel = connect();
    IllegalStateException failure = new IllegalStateException("in the middle");
    ChannelFuture pull =
        WriteGate.pull(
            channel,
            outlet -> {
              outlet.write(message());
              throw failure;
            });
    assertThat(pull.await().cause()).isSameAs(failure);
    assertThat(read(MESSAGE_BYTES)).isEqualTo(MESSAGE_BYTES);
  }

  @Test
  void theEndOfAPublisherDoesNotOvertakeItsLastMessage() throws Exception {
    listen(LONG);
    Channel channel = connect();
    CompletableFuture<Flow.Subscriber<? super ByteBuf>> subscribed = new CompletableFuture<>();
    ChannelFuture pull =
        WriteGate.pullFrom(
            channel,
            (Flow.Publisher<ByteBuf>)
                subscriber -> {
                  subscriber.onSubscribe(
                      new Flow.Subscription() {
                        @Override
                        public void request(long n) {
                          subscribed.complete(subscriber);
                        }

                        @Override
                        public void cancel() {}
                      });
                });
    Flow.Subscriber<? super ByteBuf> subscriber = subscribed.get();
    ByteBuf last = message();
    channel
        .eventLoop()
        .submit(() -> {
          Thread.ofVirtual().start(() -> subscriber.onNext(last)).join();
          subscriber.onComplete();
          return null;
        })
        .sync();
    assertThat(pull.await().isSuccess()).isTrue();
    assertThat(read(MESSAGE_BYTES)).isEqualTo(MESSAGE_BYTES);
  }

  @Test
  void aProducerIsAskedUntilItIsDone() throws Exception {
    listen(LONG);
    Channel channel = connect();
    int messages = 1_000;
    AtomicInteger left = new AtomicInteger(messages);
    AtomicBoolean elsewhere = new AtomicBoolean();
    ChannelFuture pull =
        WriteGate.pull(
            channel,
            outlet -> {
              if (elsewhere.get()) {
                return;
              }
              int number = left.getAndDecrement();
              if (number == 0) {
                outlet.complete();
              } else if (number % 10 != 0) {
                outlet.write(message());
              } else {
                // The source has nothing at present.
                elsewhere.set(true);
                Thread.ofVirtual()
                    .start(() -> {
                      elsewhere.set(false);
                      outlet.resume();
                    });
              }
            });
    long bytes = (messages - messages / 10) * (long) MESSAGE_BYTES;
    assertThat(read(bytes)).isEqualTo(bytes);
    assertThat(pull.await().isSuccess()).isTrue();
  }

  @Test
  void aPublisherIsAskedForWhatThePeerTakes() throws Exception {
    listen(LONG);
    Channel channel = connect();
    int messages = 500;
    ChannelFuture ended;
    try (SubmissionPublisher<ByteBuf> publisher = new SubmissionPublisher<>(Runnable::run, 4)) {
      CompletableFuture<Void> submitted = new CompletableFuture<>();
      ChannelFuture pull = WriteGate.pullFrom(channel, publisher);
      Thread.ofVirtual()
          .start(() -> {
            spinWhile(() -> publisher.getNumberOfSubscribers() == 0);
            for (int i = 0; i < messages; i++) {
              publisher.submit(message());
            }
            submitted.complete(null);
          });
      assertThat(read(messages * (long) MESSAGE_BYTES)).isEqualTo(messages * (long) MESSAGE_BYTES);
      submitted.get();
      assertThat(pull.isDone()).isFalse();
      ended = pull;
    }
    assertThat(ended.await().isSuccess()).isTrue();
  }

  @Test
  void aPublisherThatAnswersAtOnceNeedsNoStack() throws Exception {
    listen(LONG);
    Channel channel = connect();
    long messages = 100_000;
    ChannelFuture pull = WriteGate.pullFrom(channel, new Immediate(messages));
    assertThat(read(messages)).isEqualTo(messages);
    assertThat(pull.await().isSuccess()).isTrue();
  }

  @Test
  void aPublisherIsCancelledWhenItsChannelCloses() throws Exception {
    listen(LONG);
    Channel channel = connect();
    Immediate publisher = new Immediate(Long.MAX_VALUE);
    ChannelFuture pull = WriteGate.pullFrom(channel, publisher);
    publisher.subscribed.get();
    channel.close().sync();
    assertThat(pull.await().cause()).isInstanceOf(ClosedChannelException.class);
    publisher.cancelled.get();
  }

  @Test
  void aPullThatIsCancelledEndsItsPublisher() throws Exception {
    listen(LONG);
    Channel channel = connect();
    Immediate publisher = new Immediate(Long.MAX_VALUE);
    ChannelFuture pull = WriteGate.pullFrom(channel, publisher);
    publisher.subscribed.get();
    pull.cancel(false);
    publisher.cancelled.get();
    assertThat(channel.isActive()).isTrue();
  }

  @Test
  void onlyOneProducerWritesAtATime() throws Exception {
    listen(LONG);
    Channel channel = connect();
    WriteGate.pull(channel, outlet -> {});
    assertThat(WriteGate.pull(channel, outlet -> {}).await().cause())
        .isInstanceOf(IllegalStateException.class);
    channel.pipeline().remove(WriteGateHandler.class);
    assertThat(catchThrowable(() -> WriteGate.pull(channel, outlet -> {})))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void fastPeersGoOnBesideSlowOnesThatFillTheTotal() throws Exception {
    listen(LONG);
    // Slow ones, until three quarters of the total are queued.
    while (!gate.isClosed() && !Thread.currentThread().isInterrupted()) {
      WriteGate.pull(connect(), endless());
    }
    assertThat(gate.queuedBytes()).isLessThanOrEqualTo(TOTAL_BYTES);
    int slow = clients.size();
    Channel fast = connect();
    long bytes = 100L * MESSAGE_BYTES;
    AtomicInteger left = new AtomicInteger(100);
    ChannelFuture pull =
        WriteGate.pull(
            fast,
            outlet -> {
              outlet.write(message());
              if (left.decrementAndGet() == 0) {
                outlet.complete();
              }
            });
    assertThat(read(bytes)).isEqualTo(bytes);
    assertThat(pull.await().isSuccess()).isTrue();
    assertThat(gate.isClosed()).isTrue();
    // The slow ones go: the gate opens.
    for (Socket client : clients.subList(0, slow)) {
      client.close();
    }
    spinWhile(() -> gate.isClosed());
    assertThat(gate.refusals()).isZero();
  }

  @Test
  void pressureStopsProducersUntilItIsGone() throws Exception {
    listen(LONG);
    Budget budget = pool.rootBudget().child("queued", 1 << 20);
    Registration following = gate.follow(budget);
    try {
      ByteBuf much = allocator.charging(budget).directBuffer(1 << 20);
      spinWhile(() -> !gate.isClosed());
      Channel channel = connect();
      AtomicLong written = new AtomicLong();
      WriteGate.pull(
          channel,
          outlet -> {
            outlet.write(message());
            written.incrementAndGet();
          });
      // As much as the socket takes, and one message more.
      long queued = 0;
      while (queued == 0 && !Thread.currentThread().isInterrupted()) {
        queued = channel.eventLoop().submit(() -> QueuedBytes.of(channel)).get();
      }
      assertThat(queued).isLessThanOrEqualTo(2L * MESSAGE_BYTES);
      assertThat(channel.isWritable()).isFalse();
      long before = written.get();
      much.release();
      spinWhile(() -> written.get() == before);
    } finally {
      following.close();
      budget.close();
    }
  }

  @Test
  void filesPassThroughAndCountNothing(@TempDir Path folder) throws Exception {
    listen(LONG);
    Path file = folder.resolve("4 MiB");
    int bytes = 4 << 20;
    Files.write(file, new byte[bytes]);
    Channel channel = connect();
    ChannelFuture region = Owned.send(channel, new DefaultFileRegion(file.toFile(), 0, bytes));
    assertThat(read(bytes)).isEqualTo(bytes);
    assertThat(region.await().isSuccess()).isTrue();
    ChannelFuture chunked = Owned.send(channel, new ChunkedFile(file.toFile()));
    assertThat(read(bytes)).isEqualTo(bytes);
    assertThat(chunked.await().isSuccess()).isTrue();
    assertThat(gate.refusals()).isZero();
  }

  /** Ends with the test's timeout at the latest. */
  private static void spinWhile(BooleanSupplier condition) {
    while (condition.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }

  /** Fills the socket, and then the queue up to so many bytes. On the event loop. */
  private void queueExactly(Channel channel, int bytes) {
    int partBytes = 4 << 10;
    while (QueuedBytes.of(channel) < bytes / 2 && channel.isActive()) {
      channel.writeAndFlush(allocator.directBuffer(partBytes).writeZero(partBytes));
    }
    int rest = (int) (bytes - QueuedBytes.of(channel)) - ENTRY_BYTES;
    channel.write(allocator.directBuffer(rest).writeZero(rest));
    assertThat(QueuedBytes.of(channel)).isEqualTo(bytes);
  }

  private Producer endless() {
    return outlet -> outlet.write(message());
  }

  private ByteBuf message() {
    return allocator.directBuffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES);
  }

  /** A channel of the server; its client is the last of the clients. */
  private Channel connect() throws Exception {
    InetSocketAddress address = (InetSocketAddress) listener.localAddress();
    Socket client = new Socket();
    client.setReceiveBufferSize(16 << 10);
    client.setSoTimeout(20_000);
    client.connect(address);
    clients.add(client);
    Channel channel = accepted.take();
    channels.add(channel);
    return channel;
  }

  /** Reads so many bytes at the last client. */
  private long read(long bytes) throws IOException {
    InputStream input = clients.getLast().getInputStream();
    byte[] chunk = new byte[64 << 10];
    long done = 0;
    while (done < bytes) {
      int read = input.read(chunk, 0, (int) Math.min(chunk.length, bytes - done));
      if (read < 0) {
        return done;
      }
      done += read;
    }
    return done;
  }

  /** Gives a buffer of one byte within each request. */
  private final class Immediate implements Flow.Publisher<ByteBuf> {
    final CompletableFuture<Void> subscribed = new CompletableFuture<>();
    final CompletableFuture<Void> cancelled = new CompletableFuture<>();
    private long left;

    Immediate(long messages) {
      left = messages;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuf> subscriber) {
      subscriber.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long n) {
              subscribed.complete(null);
              for (long i = 0; i < n && left > 0; i++) {
                left--;
                subscriber.onNext(allocator.directBuffer(1).writeByte(1));
              }
              if (left == 0) {
                left = -1;
                subscriber.onComplete();
              }
            }

            @Override
            public void cancel() {
              cancelled.complete(null);
            }
          });
    }
  }
}
