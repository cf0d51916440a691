package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.Texts;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Applications that write and flush an event as the flush of the one before fills the channel. */
class FlushedWithinTest {
  private static final byte[] TEXT = Texts.json(10_000, 1);

  private final ResponseFixture fixture = new ResponseFixture();
  private final List<ChannelFuture> events = new ArrayList<>();

  @AfterEach
  void nothingIsHeld() {
    fixture.close();
  }

  private void writeAnEventAsTheChannelFills() {
    fixture
        .channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                if (!ctx.channel().isWritable() && events.isEmpty()) {
                  events.add(ctx.writeAndFlush(fixture.content(TEXT, 100, 5_000)));
                }
              }
            });
    // A message counts as 96 bytes more: the second fills the channel, which is that of the flush.
    fixture.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 150));
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "gzip"})
  void theClientGetsItWithoutAnotherFlush(String coding) {
    fixture.request(coding);
    fixture.channel.writeOutbound(fixture.head("text/event-stream"));
    assertThat(fixture.channel.<Object>readOutbound()).isInstanceOf(HttpResponse.class);
    writeAnEventAsTheChannelFills();
    fixture.channel.write(fixture.content(TEXT, 0, 100));
    assertThat(events).isEmpty();
    fixture.channel.flush();
    assertThat(events).singleElement().matches(ChannelFuture::isSuccess);
    assertThat(fixture.written().chunks())
        .as("that of the flush, and that of the event")
        .isEqualTo(2);
    fixture.channel.flush();
    assertThat(fixture.channel.<Object>readOutbound()).as("nothing is left").isNull();
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(fixture.written().ended()).isTrue();
  }
}
