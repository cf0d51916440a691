package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Registration;
import dev.weir.netty.TransportUnderTest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.MessageSizeEstimator;
import io.netty.handler.stream.ChunkedFile;
import java.net.Socket;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Bounds on what is queued, with peers that read and peers that do not. */
@ParameterizedClass
@MethodSource("dev.weir.netty.TransportUnderTest#available")
class WriteGateOverSocketsTest extends SocketsWithWriteGate {
  /** What Netty counts for the place of a message in a channel's queue. */
  private static final int ENTRY_BYTES = 96;

  WriteGateOverSocketsTest(TransportUnderTest transport) {
    super(transport);
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
  void whatAnotherThreadSendsNextIsNotHeldAgainstAMessage() throws Exception {
    listen(LONG);
    Channel channel = connect();
    CountDownLatch busy = new CountDownLatch(1);
    channel.eventLoop().execute(() -> awaitUninterruptibly(busy));
    ChannelFuture small = Owned.send(channel, message());
    assertThat(channel.isWritable()).isTrue();
    int bytes = 2 * CHANNEL_BYTES;
    ChannelFuture large = Owned.send(channel, allocator.directBuffer(bytes).writeZero(bytes));
    assertThat(channel.isWritable()).isFalse();
    busy.countDown();

    assertThat(read(MESSAGE_BYTES + bytes)).isEqualTo(MESSAGE_BYTES + bytes);
    assertThat(small.await().isSuccess()).isTrue();
    assertThat(large.await().isSuccess()).isTrue();
    assertThat(gate.refusals()).isZero();
  }

  /** The second gives its message after the gate has heard of the first, and before Netty has. */
  @Test
  void whatTwoThreadsSendAtOnceIsHeldAgainstNeither() throws Exception {
    listen(LONG);
    Channel channel = connect();
    int bytes = 2 * CHANNEL_BYTES;
    MessageSizeEstimator.Handle sizes = channel.config().getMessageSizeEstimator().newHandle();
    AtomicInteger looks = new AtomicInteger();
    CompletableFuture<ChannelFuture> small = new CompletableFuture<>();
    channel
        .config()
        .setMessageSizeEstimator(() ->
            message -> {
              int size = sizes.size(message);
              if (size >= bytes && looks.incrementAndGet() == 2) {
                small.complete(Owned.send(channel, message()));
              }
              return size;
            });
    CountDownLatch busy = new CountDownLatch(1);
    channel.eventLoop().execute(() -> awaitUninterruptibly(busy));
    ChannelFuture large = Owned.send(channel, allocator.directBuffer(bytes).writeZero(bytes));
    busy.countDown();

    assertThat(read(MESSAGE_BYTES + bytes)).isEqualTo(MESSAGE_BYTES + bytes);
    assertThat(small.join().await().isSuccess()).isTrue();
    assertThat(large.await().isSuccess()).isTrue();
    assertThat(gate.refusals()).isZero();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
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
    while (closings.isEmpty() && !Thread.currentThread().isInterrupted()) {
      if (!gate.isClosed()) {
        // Over io_uring, the kernel takes its share later, and may open the gate by that.
        Channel channel = connect();
        channel.eventLoop().submit(() -> queueExactly(channel, justBelow)).sync();
      }
    }
    spinWhile(() -> gate.isClosed());
    assertThat(closings)
        .isNotEmpty()
        .allMatch(closing -> closing.reason() == OutboundClosing.Reason.SLOW_PEER)
        .allMatch(closing -> closing.queuedBytes() <= justBelow);
    assertThat(gate.refusals()).isZero();
    // It has opened at half; since then another may have come, before this thread heard of the
    // closing.
    assertThat(gate.queuedBytes()).isLessThanOrEqualTo(TOTAL_BYTES);
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
      // As much as the socket takes, and one message more. (Over io_uring a message waits for the
      // kernel to take it, too.)
      long queued = 0;
      while (queued == 0 && !Thread.currentThread().isInterrupted()) {
        queued =
            channel
                .eventLoop()
                .submit(() -> channel.isWritable() ? 0 : QueuedBytes.of(channel))
                .get();
      }
      assertThat(queued).isBetween(1L, 2L * MESSAGE_BYTES);
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
}
