package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A frame with contents finds its stream, through Netty's own codec. */
class OwnedHttp2FrameTest {
  private final Http2ChannelDuplexHandler streams = new Http2ChannelDuplexHandler() {};
  private final EmbeddedChannel client =
      new EmbeddedChannel(Http2FrameCodecBuilder.forClient().build(), streams);
  private final EmbeddedChannel server =
      new EmbeddedChannel(Http2FrameCodecBuilder.forServer().build());

  @AfterEach
  void close() {
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
  }

  @Test
  void aDataFrameKeepsItsStream() {
    Http2Ends.exchange(client, server);
    Http2FrameStream stream = streams.newStream();
    client.writeOutbound(
        new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers().method("POST").scheme("http").path("/").authority("weir"))
            .stream(stream));
    ByteBuf payload = client.alloc().buffer().writeZero(1_000);
    ChannelFuture sent =
        Owned.send(
            client, new DefaultHttp2DataFrame(payload, /* endStream= */ true).stream(stream));
    Http2Ends.exchange(client, server);
    assertThat(sent.isSuccess()).as("%s", sent.cause()).isTrue();
    int bytes = 0;
    boolean ended = false;
    for (Object frame = server.readInbound(); frame != null; frame = server.readInbound()) {
      if (frame instanceof Http2DataFrame data) {
        bytes += data.content().readableBytes();
        ended = data.isEndStream();
        data.release();
      }
    }
    assertThat(bytes).isEqualTo(1_000);
    assertThat(ended).isTrue();
    close();
    assertThat(payload.refCnt()).isZero();
  }
}
