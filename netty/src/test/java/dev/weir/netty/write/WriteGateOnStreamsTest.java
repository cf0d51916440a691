package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2WindowUpdateFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams of one connection that heed {@code isWritable()}, and a client that takes nothing. */
class WriteGateOnStreamsTest {
  private static final int STREAMS = 32;
  private static final int MESSAGES = 100;
  private static final int MESSAGE_BYTES = 1 << 10;

  private final WriteGate gate = new WriteGate(WriteGateOptions.within(1 << 20));
  private final List<Channel> opened = new ArrayList<>();
  private final List<Http2WindowUpdateFrame> untaken = new ArrayList<>();
  private int dataBytes;
  private final Http2ChannelDuplexHandler streams = new Http2ChannelDuplexHandler() {};
  private final EmbeddedChannel client =
      new EmbeddedChannel(Http2FrameCodecBuilder.forClient().build(), streams);
  private final EmbeddedChannel server =
      new EmbeddedChannel(
          Http2FrameCodecBuilder.forServer().build(),
          new Http2MultiplexHandler(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel stream) {
                  opened.add(stream);
                  stream.pipeline().addLast(gate.newHandler(), new WhileWritable());
                }
              }));

  @AfterEach
  void close() {
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
    assertThat(gate.queuedBytes()).isZero();
  }

  @Test
  void streamsThatHeedTheirWritabilityAreWithinTheTotal() {
    exchange();
    for (int i = 0; i < STREAMS; i++) {
      client.writeOutbound(
          new DefaultHttp2HeadersFrame(
                  new DefaultHttp2Headers()
                      .method("GET")
                      .scheme("http")
                      .path("/")
                      .authority("weir"),
                  /* endStream= */ true)
              .stream(streams.newStream()));
    }
    exchange();
    assertThat(gate.refusals()).isZero();
    assertThat(opened).hasSize(STREAMS).allMatch(Channel::isActive).noneMatch(Channel::isWritable);
    assertThat(gate.isClosed()).isTrue();
    long exactBytes = 0;
    for (Channel stream : opened) {
      exactBytes += QueuedBytes.of(stream);
    }
    assertThat(exactBytes).isBetween(gate.queuedBytes(), gate.queuedBytes() + STREAMS * 4096L);

    while (!untaken.isEmpty()) {
      client.writeOutbound(untaken.toArray());
      untaken.clear();
      exchange();
    }
    assertThat(dataBytes).isEqualTo(STREAMS * MESSAGES * MESSAGE_BYTES);
    assertThat(gate.isClosed()).isFalse();
    assertThat(gate.refusals()).isZero();
    assertThat(opened).allMatch(Channel::isWritable);
    assertThat(opened)
        .allMatch(stream -> stream.config().getWriteBufferWaterMark().equals(gate.waterMark()));
  }

  /** Carries bytes both ways, until none are left. */
  private void exchange() {
    boolean moved = true;
    while (moved) {
      moved = move(client, server) | move(server, client);
      for (Object frame = client.readInbound(); frame != null; frame = client.readInbound()) {
        if (frame instanceof Http2DataFrame data) {
          dataBytes += data.content().readableBytes();
          untaken.add(
              new DefaultHttp2WindowUpdateFrame(data.initialFlowControlledBytes())
                  .stream(data.stream()));
        }
        ReferenceCountUtil.release(frame);
      }
    }
  }

  private static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    boolean moved = false;
    for (Object bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      to.writeInbound(bytes);
      moved = true;
    }
    return moved;
  }

  private static final class WhileWritable extends ChannelInboundHandlerAdapter {
    private int left = MESSAGES;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      ctx.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
      write(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      write(ctx);
    }

    private void write(ChannelHandlerContext ctx) {
      while (left > 0 && ctx.channel().isActive() && ctx.channel().isWritable()) {
        left--;
        ctx.writeAndFlush(
            new DefaultHttp2DataFrame(ctx.alloc().buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES)));
      }
    }
  }
}
