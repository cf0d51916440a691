package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** A channel that ends in the middle of what it sends. */
class AbortiveCloseTest {

  /** It may have a goodbye to say. */
  @Test
  void aHandlerThatClosesLaterHasTheTimeItTakes() {
    EmbeddedChannel channel =
        channelBehind(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void close(ChannelHandlerContext ctx, ChannelPromise promise) {}
            });
    AbortiveClose.close(channel.pipeline().lastContext());
    assertThat(channel.isOpen()).isTrue();
    channel.pipeline().removeFirst();
    channel.close();
  }

  private static EmbeddedChannel channelBehind(ChannelOutboundHandlerAdapter handler) {
    return new EmbeddedChannel(handler, new ChannelInboundHandlerAdapter());
  }
}
