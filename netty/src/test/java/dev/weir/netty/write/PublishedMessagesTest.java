package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a publisher has told does not stay on its way to an event loop that takes no tasks. */
@Timeout(120)
class PublishedMessagesTest {
  private final DefaultEventLoop loop = new DefaultEventLoop();
  private final CountDownLatch busy = new CountDownLatch(1);
  private final TakesAll outlet = new TakesAll();
  private final PublishedMessages messages =
      new PublishedMessages(
          loop,
          subscriber ->
              subscriber.onSubscribe(
                  new Flow.Subscription() {
                    @Override
                    public void request(long count) {}

                    @Override
                    public void cancel() {}
                  }));

  private static final class TakesAll implements Outlet {
    final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public ByteBufAllocator alloc() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void write(Object message) {
      ReferenceCountUtil.release(message);
    }

    @Override
    public void complete() {}

    @Override
    public void fail(Throwable cause) {
      failure.complete(cause);
    }

    @Override
    public void resume() {}
  }

  @BeforeEach
  void askForOneMessage() throws Exception {
    loop.submit(() -> messages.produce(outlet)).sync();
  }

  @AfterEach
  void end() {
    busy.countDown();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private static ByteBuf message() {
    return Unpooled.directBuffer(1).writeByte(1);
  }

  @Test
  void whatIsOnItsWayAsTheChannelClosesIsReleased() {
    loop.execute(() -> await(busy));
    ByteBuf message = message();
    messages.onNext(message);
    assertThat(message.refCnt()).isEqualTo(1);
    messages.stopped(new CancellationException());
    assertThat(message.refCnt()).isZero();
  }

  @Test
  void whatWasNotAskedForDoesNotWaitForTheLoop() throws Exception {
    loop.execute(() -> await(busy));
    ByteBuf asked = message();
    messages.onNext(asked);
    for (int i = 0; i < 3; i++) {
      ByteBuf unasked = message();
      messages.onNext(unasked);
      assertThat(unasked.refCnt()).isZero();
    }
    assertThat(asked.refCnt()).isEqualTo(1);
    busy.countDown();
    assertThat(outlet.failure.get()).isInstanceOf(IllegalStateException.class);
    assertThat(asked.refCnt()).isZero();
  }

  @Test
  void whatComesAfterTheLoopHasEndedIsReleased() throws Exception {
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    ByteBuf message = message();
    messages.onNext(message);
    assertThat(message.refCnt()).isZero();
  }
}
