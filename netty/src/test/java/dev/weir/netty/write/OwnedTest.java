package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.IllegalReferenceCountException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What else an {@link Owned} promises: once, nobody else's memory, nothing kept. */
class OwnedTest extends SocketThatTakesAll {
  @Test
  void aMessageIsGivenAwayOnce() {
    Owned owned = Owned.of(allocator.directBuffer(BYTES));
    owned.release();
    assertThat(catchThrowable(() -> owned.sendTo(channel)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(pool.liveBlockBytes()).isZero();
  }

  /** Netty's queues take tasks for a loop that is driven by its owner also after its end. */
  @Test
  void aLoopThatHasEndedAndTakesTheMessageKeepsNothing() throws Exception {
    ManualIoEventLoop loop =
        new ManualIoEventLoop(Thread.currentThread(), NioIoHandler.newFactory());
    NioDatagramChannel closed = new NioDatagramChannel();
    closed.unsafe().register(loop, closed.newPromise());
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    while (!loop.isTerminated()) {
      loop.runNow();
    }
    ChannelFuture[] written = new ChannelFuture[1];
    ByteBuf content = content();
    Thread.ofPlatform().start(() -> written[0] = Owned.send(closed, content)).join();
    assertThat(written[0].isDone()).isTrue();
    assertThat(written[0].isSuccess()).isFalse();
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void aMessageThatCannotBeBuiltHoldsNothing() {
    ByteBuf buffer = allocator.directBuffer(BYTES);
    assertThat(
            catchThrowable(() ->
                Owned.build(parts -> {
                  parts.take(buffer);
                  throw new IllegalStateException("no frame");
                })))
        .hasMessage("no frame");
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void whoeverHoldsTheSameMemoryKeepsIt() throws Exception {
    ByteBuf cached = content();
    for (int i = 0; i < 10; i++) {
      channel.pipeline().addFirst("odd", onWrite((message, promise) -> fail()));
      Owned.send(channel, cached.retainedDuplicate()).await();
      channel.pipeline().remove("odd");
      Owned.send(channel, cached.retainedSlice(0, 10)).sync();
      onLoop(() -> {});
      assertThat(cached.refCnt()).isEqualTo(1);
    }
    cached.release();
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void aKeptBufferOfAFailedWriteReadsNobodyElsesData() throws Exception {
    List<ByteBuf> kept = new ArrayList<>();
    channel
        .pipeline()
        .addLast(
            onWrite((message, promise) -> {
              kept.add(((ByteBuf) message).slice());
              fail();
            }));
    Owned.send(channel, content()).await();
    settle();
    assertThat(pool.liveBlockBytes()).isZero();
    ByteBuf other = content();
    assertThat(catchThrowable(() -> kept.getFirst().getByte(0)))
        .isInstanceOf(IllegalReferenceCountException.class);
    assertThat(kept.getFirst().release()).isFalse();
    assertThat(other.refCnt()).isEqualTo(1);
    other.release();
  }

  @ParameterizedTest
  @EnumSource(
      value = SentMessage.class,
      names = {"BUFFER", "HTTP_CONTENT", "CUSTOM_HOLDER"})
  void whatIsGivenFromAnotherThreadCountsWhileTheLoopIsBusy(SentMessage kind) throws Exception {
    AtomicInteger seen = new AtomicInteger();
    channel
        .pipeline()
        .addLast(
            onWrite((message, promise) -> {
              seen.incrementAndGet();
              SentMessage.release(message);
              promise.setSuccess();
            }));
    List<ChannelFuture> written = writtenWhileBusy(channel, () -> kind.own(content()));
    settle();
    assertThat(written).allMatch(ChannelFuture::isSuccess);
    assertThat(seen).hasValue(written.size());
    assertThat(channel.isWritable()).isTrue();
    assertThat(channel.bytesBeforeUnwritable())
        .isEqualTo(channel.config().getWriteBufferHighWaterMark() + 1L);
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void whatIsGivenToAStreamOfHttp2CountsToo() throws Exception {
    onLoop(() ->
        channel
            .pipeline()
            .addLast(
                Http2FrameCodecBuilder.forClient().build(),
                new Http2MultiplexHandler(new ChannelInboundHandlerAdapter())));
    Http2StreamChannel stream =
        new Http2StreamChannelBootstrap(channel)
            .handler(new ChannelInboundHandlerAdapter())
            .open()
            .sync()
            .getNow();
    stream.writeAndFlush(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().path("/"))).sync();
    writtenWhileBusy(stream, () -> Owned.of(new DefaultHttp2DataFrame(content())));
    channel.close().sync();
    settle();
    assertThat(pool.liveBlockBytes()).isZero();
  }

  /**
   * Writes from here while the loop is busy, until the channel is unwritable, as it must be soon.
   */
  private static List<ChannelFuture> writtenWhileBusy(Channel to, Supplier<Owned> messages) {
    CountDownLatch busy = new CountDownLatch(1);
    to.eventLoop().execute(() -> await(busy));
    List<ChannelFuture> written = new ArrayList<>();
    int enough = to.config().getWriteBufferHighWaterMark() / BYTES + 1;
    try {
      while (to.isWritable() && written.size() < 2 * enough) {
        written.add(messages.get().writeTo(to));
      }
      assertThat(written).hasSizeLessThanOrEqualTo(enough);
      assertThat(to.bytesBeforeUnwritable()).isZero();
    } finally {
      busy.countDown();
    }
    return written;
  }

  @Test
  void cancelledWritesThatWereFlushedAreForgotten() throws Exception {
    for (int i = 0; i < 100; i++) {
      ChannelFuture written = Owned.of(content()).writeTo(channel);
      onLoop(() -> {});
      assertThat(written.cancel(false)).isTrue();
      channel.flush();
      onLoop(() -> {});
    }
    assertThat(pool.liveBlockBytes()).isZero();
    int[] left = new int[2];
    onLoop(() -> {
      left[0] = OwnedWrites.of(channel).keptCount();
      left[1] = OwnedWrites.of(channel).openCount();
    });
    assertThat(left[0]).isEqualTo(1);
    assertThat(left[1]).isZero();
  }
}
