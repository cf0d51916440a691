package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The failures of a transport's writes that end a channel, and those that need not. */
class UnbrokenStreamTest {
  private final List<Throwable> caught = new ArrayList<>();
  private Throwable failure;

  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
              if (failure == null) {
                ctx.write(message, promise);
              } else {
                ReferenceCountUtil.release(message);
                promise.tryFailure(failure);
              }
            }
          },
          UnbrokenStream.HANDLER,
          new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
              caught.add(cause);
            }
          });

  @Test
  void nothingIsSentBehindBytesThatAreMissing() {
    channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1}));
    failure = new OutOfMemoryError("made by the test");
    channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {2}));
    failure = null;
    assertThat(channel.isOpen()).isFalse();
    assertThat(caught).hasSize(1).first().isInstanceOf(OutOfMemoryError.class);
    assertThat(channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {3})).cause())
        .isInstanceOf(ClosedChannelException.class);
    assertThat(channel.outboundMessages()).hasSize(1);
    channel.releaseOutbound();
  }

  static Stream<Throwable> ends() {
    return Stream.of(new ClosedChannelException(), new ChannelOutputShutdownException("ended"));
  }

  @ParameterizedTest
  @MethodSource("ends")
  void anOutputThatHasEndedIsNoHole(Throwable end) {
    failure = end;
    assertThat(channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1})).cause()).isSameAs(end);
    assertThat(channel.isOpen()).isTrue();
    assertThat(caught).isEmpty();
  }

  @Test
  void messagesThatAreNoBytesAreTheirHandlersToMiss() {
    failure = new IllegalStateException("no such stream");
    channel.writeAndFlush("a frame of one stream among others");
    assertThat(channel.isOpen()).isTrue();
    assertThat(caught).isEmpty();
  }
}
