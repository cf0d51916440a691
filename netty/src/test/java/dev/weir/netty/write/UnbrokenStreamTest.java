package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnbrokenStreamTest {
  private static final OutOfMemoryError NO_MEMORY = new OutOfMemoryError("injected");

  private static EmbeddedChannel failing(Throwable failure) {
    return new EmbeddedChannel(new FailingWrites(0, failure), UnbrokenStream.HANDLER);
  }

  private static ByteBuf bytes() {
    return Unpooled.directBuffer(4).writeInt(1);
  }

  @Test
  void bytesThatCannotBeWrittenEndTheChannelAndNothingFollows() {
    EmbeddedChannel channel = failing(NO_MEMORY);
    ByteBuf second = bytes();
    ChannelFuture first = channel.write(bytes());
    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.writeAndFlush(second).cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(first.cause()).isSameAs(NO_MEMORY);
    assertThatThrownBy(channel::checkException).isSameAs(NO_MEMORY);
    assertThat(channel.<Object>readOutbound()).isNull();
    assertThat(second.refCnt()).isZero();
  }

  /** Netty tells listeners later there, with what follows written meanwhile. */
  @Test
  void nothingFollowsDeepInAStackOfListenersEither() {
    EmbeddedChannel channel = failing(NO_MEMORY);
    AtomicInteger runs = new AtomicInteger();
    FailingWrites.deepInListeners(
        channel,
        () -> {
          channel.write(bytes());
          channel.writeAndFlush(bytes());
          runs.incrementAndGet();
        });
    channel.runPendingTasks();
    assertThat(runs.get()).isOne();
    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.<Object>readOutbound()).isNull();
    assertThatThrownBy(channel::checkException).isSameAs(NO_MEMORY);
  }

  /** The head of a frame of HTTP/2 is well on its way then, and what comes next ends up in it. */
  @Test
  void aFrameOfWhichOnePartIsNeverMadeEndsTheChannel() {
    EmbeddedChannel channel =
        new EmbeddedChannel(UnbrokenStream.HANDLER, new ChannelOutboundHandlerAdapter());
    ByteBuf data =
        new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 4, 4) {
          @Override
          public ByteBuf readSlice(int length) {
            throw NO_MEMORY;
          }
        };
    ChannelFuture frame =
        new DefaultHttp2FrameWriter()
            .writeData(
                channel.pipeline().lastContext(),
                /* streamId= */ 1,
                data.writeInt(1),
                /* padding= */ 0,
                /* endStream= */ true,
                channel.newPromise());
    channel.flush();
    assertThat(frame.cause()).isSameAs(NO_MEMORY);
    assertThat(channel.isOpen()).isFalse();
    assertThatThrownBy(channel::checkException).isSameAs(NO_MEMORY);
    channel.releaseOutbound();
    assertThat(data.refCnt()).isZero();
  }

  @Test
  void anotherMessageMayFail() {
    EmbeddedChannel channel = failing(NO_MEMORY);
    assertThat(channel.write("no bytes").cause()).isSameAs(NO_MEMORY);
    assertThat(channel.isOpen()).isTrue();
    channel.checkException();
    assertThat(channel.finish()).isFalse();
  }

  /** Nobody but who wrote it hears that an encoder had no memory for a message. */
  @Test
  void aMessageThatCannotBeEncodedEndsTheChannelWhereItIsWatchedFor() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                throw NO_MEMORY;
              }
            },
            UnbrokenStream.MESSAGES);
    assertThat(channel.write("a chunk").cause()).isSameAs(NO_MEMORY);
    assertThat(channel.isOpen()).isFalse();
    assertThatThrownBy(channel::checkException).isSameAs(NO_MEMORY);
  }

  /** Whoever shut the output down knows that nothing more can be sent. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anOutputThatIsClosedHasNoHole(boolean shutDown) {
    EmbeddedChannel channel =
        failing(
            shutDown ? new ChannelOutputShutdownException("shut") : new ClosedChannelException());
    assertThat(channel.write(bytes()).isSuccess()).isFalse();
    assertThat(channel.isOpen()).isTrue();
    channel.checkException();
    assertThat(channel.finish()).isFalse();
  }
}
