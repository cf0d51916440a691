package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a stream has queued goes with it when its client resets it, also while nobody reads. */
class ResetStreamsTest {
  private static final int BODY_BYTES = 32 << 10;

  private final SwitchedHeadroom headroom = new SwitchedHeadroom();
  private final List<Channel> streams = new ArrayList<>();
  private final List<ChannelHandler> handlers = new ArrayList<>();
  private final Http2ChannelDuplexHandler opener = new Http2ChannelDuplexHandler() {};
  private final EmbeddedChannel client =
      new EmbeddedChannel(Http2FrameCodecBuilder.forClient().build(), opener);
  private final EmbeddedChannel server =
      new EmbeddedChannel(
          Http2Windows.perStream(Http2FrameCodecBuilder.forServer().build()),
          new Http2MultiplexHandler(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel stream) {
                  streams.add(stream);
                  handlers.forEach(stream.pipeline()::addLast);
                }
              }));
  private int resetsFromServer;

  @AfterEach
  void close() {
    server.finishAndReleaseAll();
    client.finishAndReleaseAll();
  }

  /** Headers, a body that has not ended, and a reset. */
  private void sendAndReset() {
    Http2FrameStream stream = opener.newStream();
    client.writeOutbound(
        new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers().method("POST").scheme("http").path("/"),
                /* endStream= */ false)
            .stream(stream));
    client.writeOutbound(
        new DefaultHttp2DataFrame(Unpooled.buffer(BODY_BYTES).writeZero(BODY_BYTES))
            .stream(stream));
    settle();
    assertThat(streams.getLast().isOpen()).as("waits").isTrue();
    client.writeOutbound(new DefaultHttp2ResetFrame(Http2Error.CANCEL).stream(stream));
    settle();
  }

  private void settle() {
    while (pass(server, client) | pass(client, server)) {
      for (Object frame = client.readInbound(); frame != null; frame = client.readInbound()) {
        resetsFromServer += frame instanceof Http2ResetFrame ? 1 : 0;
        ReferenceCountUtil.release(frame);
      }
      server.runPendingTasks();
    }
  }

  private static boolean pass(EmbeddedChannel from, EmbeddedChannel to) {
    boolean some = false;
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      to.writeInbound(bytes);
      some = true;
    }
    return some;
  }

  @Test
  void aStreamThatAGateHasStopped() {
    Reader reader = new Reader();
    handlers.add(new ReadGate(headroom).newHandler());
    handlers.add(reader);
    headroom.isShort = true;
    sendAndReset();
    assertThat(reader.messages).as("the head alone was read").isOne();
    assertThat(streams.getLast().isOpen()).isFalse();
    assertThat(resetsFromServer).isZero();
  }

  @Test
  void aStreamWhoseRequestWaitsForAdmission() {
    CompletableFuture<Permit> permit = new CompletableFuture<>();
    handlers.add(new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true));
    handlers.add(
        new BudgetedHttpAggregator(
            (bytes, deadline) -> permit, AggregatorOptions.upTo(2 * BODY_BYTES)));
    sendAndReset();
    assertThat(streams.getLast().isOpen()).isFalse();
    assertThat(permit).as("nobody waits for it").isDone();
    assertThat(resetsFromServer).isZero();
  }

  @Test
  void aStreamThatIsReadFromHearsOfItsEndAsEver() {
    Reader reader = new Reader();
    handlers.add(new ReadGate(headroom).newHandler());
    handlers.add(reader);
    sendAndReset();
    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
    assertThat(streams.getLast().isOpen()).isFalse();
  }

  private static final class Reader extends ChannelInboundHandlerAdapter {
    private int messages;
    private int bytes;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      messages++;
      bytes += message instanceof Http2DataFrame data ? data.content().readableBytes() : 0;
      ReferenceCountUtil.release(message);
    }
  }
}
