package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that end their side alone, which closes no channel by itself. Nobody waits a moment. */
class LingeringCloseTest {
  private final ChannelInboundHandlerAdapter caller = new ChannelInboundHandlerAdapter();
  private ChannelPromise written;
  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
              ReferenceCountUtil.release(message);
              written = promise;
            }
          },
          caller);

  @BeforeEach
  void respond() {
    LingeringClose.after(channel.pipeline().context(caller), response());
  }

  private static FullHttpResponse response() {
    return new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1, HttpResponseStatus.SERVICE_UNAVAILABLE);
  }

  @AfterEach
  void end() {
    channel.finishAndReleaseAll();
  }

  private void endInput() {
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
  }

  @Test
  void theChannelClosesWhenItsClientHasRead() {
    written.setSuccess();
    assertThat(channel.isOpen()).isTrue();
    endInput();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void theResponseIsWrittenBefore() {
    endInput();
    assertThat(channel.isOpen()).isTrue();
    written.setSuccess();
    assertThat(channel.isOpen()).isFalse();
  }

  /** As when the channel has closed meanwhile, whose pipeline is empty then. */
  @Test
  void aCallerThatHasLeftThePipelineOnlyClosesTheChannel() {
    ChannelInboundHandlerAdapter gone = new ChannelInboundHandlerAdapter();
    EmbeddedChannel left = new EmbeddedChannel(gone);
    ChannelHandlerContext ctx = left.pipeline().context(gone);
    left.pipeline().remove(gone);
    FullHttpResponse response = response();
    LingeringClose.after(ctx, response);
    assertThat(left.isOpen()).isFalse();
    assertThat(response.refCnt()).isZero();
    assertThat(left.finish()).as("anything written").isFalse();
  }
}
