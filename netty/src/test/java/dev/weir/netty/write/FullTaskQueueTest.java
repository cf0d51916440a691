package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An event loop that refuses tasks while it is busy: whoever has one hears of that. */
@Timeout(120)
class FullTaskQueueTest {
  private static final int MAX_TASKS = 16;

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()) {
        @Override
        protected IoEventLoop newChild(
            Executor executor, IoHandlerFactory factory, Object... arguments) {
          return new SingleThreadIoEventLoop(
              this,
              executor,
              factory,
              MAX_TASKS,
              RejectedExecutionHandlers.reject(),
              TimeUnit.SECONDS.toNanos(1));
        }
      };
  private final WriteGate gate = new WriteGate(WriteGateOptions.within(1 << 20));
  private ServerSocket server;
  private Channel channel;

  @BeforeEach
  void connect() throws Exception {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    channel =
        new Bootstrap()
            .group(loops)
            .channel(NioSocketChannel.class)
            .handler(gate.newHandler())
            .connect(server.getLocalSocketAddress())
            .sync()
            .channel();
  }

  @AfterEach
  void close() throws Exception {
    while (!channel.close().await().isSuccess()) {
      Thread.onSpinWait(); // The last look at the queue may have filled it again.
    }
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    server.close();
    assertThat(gate.queuedBytes()).isZero();
  }

  /** Runs {@code action} while the loop takes no tasks. */
  private void whileFull(Runnable action) throws Exception {
    CountDownLatch isBusy = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    channel
        .eventLoop()
        .execute(() -> {
          isBusy.countDown();
          try {
            goesOn.await();
          } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
          }
        });
    isBusy.await();
    try {
      while (!isFull()) {
        Thread.onSpinWait();
      }
      action.run();
    } finally {
      goesOn.countDown();
    }
  }

  private boolean isFull() {
    try {
      channel.eventLoop().execute(() -> {});
      return false;
    } catch (RejectedExecutionException full) {
      return true;
    }
  }

  /** Waits until the loop has run all tasks that filled its queue. */
  private void awaitRoom() throws Exception {
    CountDownLatch isRun = new CountDownLatch(1);
    boolean isTaken = false;
    while (!isTaken) {
      try {
        channel.eventLoop().execute(isRun::countDown);
        isTaken = true;
      } catch (RejectedExecutionException full) {
        Thread.onSpinWait();
      }
    }
    isRun.await();
  }

  @Test
  void aProducerThatHasSomethingNowIsToldSo() throws Exception {
    BlockingQueue<Outlet> asked = new LinkedBlockingQueue<>();
    ChannelFuture pull = WriteGate.pull(channel, asked::add);
    Outlet outlet = asked.take();
    whileFull(
        () -> assertThatThrownBy(outlet::resume).isInstanceOf(RejectedExecutionException.class));
    awaitRoom();
    outlet.resume();
    assertThat(asked.take()).isSameAs(outlet);
    channel.eventLoop().execute(outlet::complete);
    assertThat(pull.await().isSuccess()).isTrue();
    assertThat(asked).isEmpty();
  }

  @Test
  void aMessageThatIsNotTakenLeavesTheChannelWritable() throws Exception {
    ByteBuf large = Unpooled.directBuffer().writeZero(1 << 20);
    whileFull(() -> {
      assertThat(Owned.send(channel, large).cause()).isInstanceOf(RejectedExecutionException.class);
      assertThat(channel.isWritable()).isTrue();
    });
    awaitRoom();
    assertThat(channel.bytesBeforeUnwritable())
        .isEqualTo(channel.config().getWriteBufferHighWaterMark() + 1L);
    assertThat(large.refCnt()).isZero();
  }

  @Test
  void aPullEndsWhoseNextMessageIsNotTaken() throws Exception {
    CompletableFuture<Flow.Subscriber<? super Object>> subscribed = new CompletableFuture<>();
    CountDownLatch requested = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    ChannelFuture pull =
        WriteGate.pullFrom(
            channel,
            subscriber -> {
              subscriber.onSubscribe(
                  new Flow.Subscription() {
                    @Override
                    public void request(long count) {
                      requested.countDown();
                    }

                    @Override
                    public void cancel() {
                      cancelled.countDown();
                    }
                  });
              subscribed.complete(subscriber);
            });
    requested.await();
    ByteBuf message = Unpooled.directBuffer().writeZero(10);
    whileFull(() -> subscribed.join().onNext(message));

    assertThat(pull.await().cause()).isInstanceOf(RejectedExecutionException.class);
    cancelled.await();
    assertThat(message.refCnt()).isZero();
    awaitRoom();
    ChannelFuture next = WriteGate.pull(channel, Outlet::complete);
    assertThat(next.await().isSuccess()).as("another pull of the channel").isTrue();
  }
}
