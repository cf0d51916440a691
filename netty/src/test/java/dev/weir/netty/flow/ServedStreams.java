package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.Http2Ends;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;

/** A client that opens streams of HTTP/2, and a server whose streams have the test's handlers. */
final class ServedStreams implements AutoCloseable {
  static final int BODY_BYTES = 32 << 10;

  /** The server's, as the client has opened them. */
  final List<Channel> streams = new ArrayList<>();

  /** Those of the next stream that the client opens. */
  final List<ChannelHandler> handlers = new ArrayList<>();

  /** What the server's codec has handed on, to streams or their queues. */
  final List<Http2DataFrame> data = new ArrayList<>();

  boolean autoRead = true;
  int resetsFromServer;

  private final Http2ChannelDuplexHandler opener = new Http2ChannelDuplexHandler() {};
  final EmbeddedChannel client =
      new EmbeddedChannel(Http2FrameCodecBuilder.forClient().build(), opener);
  final EmbeddedChannel server;

  ServedStreams(Http2FrameCodec codec) {
    server =
        new EmbeddedChannel(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ByteBuf frame = (ByteBuf) message;
                boolean isReset =
                    frame.readableBytes() > 3
                        && frame.getByte(frame.readerIndex() + 3) == Http2FrameTypes.RST_STREAM;
                resetsFromServer += isReset ? 1 : 0;
                ctx.write(message, promise);
              }
            },
            codec,
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object message) {
                if (message instanceof Http2DataFrame frame) {
                  data.add(frame);
                }
                ctx.fireChannelRead(message);
              }
            },
            new Http2MultiplexHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel stream) {
                    streams.add(stream);
                    stream.config().setAutoRead(autoRead);
                    handlers.forEach(stream.pipeline()::addLast);
                  }
                }));
  }

  /** Makes the next stream have these handlers. */
  void handleBy(ChannelHandler... next) {
    handlers.clear();
    handlers.addAll(List.of(next));
  }

  Http2FrameStream open() {
    Http2FrameStream stream = opener.newStream();
    client.writeOutbound(
        new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers().method("POST").scheme("http").path("/"),
                /* endStream= */ false)
            .stream(stream));
    settle();
    return stream;
  }

  static DefaultHttp2DataFrame body(boolean endStream) {
    return new DefaultHttp2DataFrame(Unpooled.buffer(BODY_BYTES).writeZero(BODY_BYTES), endStream);
  }

  void sendBody(Http2FrameStream stream, boolean endStream) {
    client.writeOutbound(body(endStream).stream(stream));
    settle();
  }

  /** Headers, and a body that has not ended. */
  Http2FrameStream send() {
    Http2FrameStream stream = open();
    sendBody(stream, /* endStream= */ false);
    assertThat(streams.getLast().isOpen()).as("waits").isTrue();
    return stream;
  }

  void reset(Http2FrameStream stream) {
    client.writeOutbound(new DefaultHttp2ResetFrame(Http2Error.CANCEL).stream(stream));
    settle();
    server.runPendingTasks();
  }

  /** The server ends its side of a stream. */
  static void answer(Channel stream) {
    stream.writeAndFlush(
        new DefaultHttp2HeadersFrame(
            new DefaultHttp2Headers().status("401"), /* endStream= */ true));
  }

  void settle() {
    Http2Ends.exchange(server, client);
    client.releaseInbound();
  }

  @Override
  public void close() {
    server.finishAndReleaseAll();
    client.finishAndReleaseAll();
  }

  /** Counts what a stream's handlers are given. */
  static final class Reader extends ChannelInboundHandlerAdapter {
    int messages;
    int bytes;
    boolean ended;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      messages++;
      if (message instanceof Http2DataFrame data) {
        bytes += data.content().readableBytes();
        ended |= data.isEndStream();
      }
      ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable madeByTheTest) {}
  }
}
