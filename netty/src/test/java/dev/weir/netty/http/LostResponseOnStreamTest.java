package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.ByteCountAdmission;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On a stream of HTTP/2 a response of which a part is lost is reset: it is not to seem whole. */
class LostResponseOnStreamTest {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int GO_AWAY = 7;
  private static final int END_STREAM = 1;

  private final EmbeddedChannel server =
      new EmbeddedChannel(
          new LocalServerChannel(), // A codec without one takes itself for a client's.
          DefaultChannelId.newInstance(),
          /* register= */ true,
          /* hasDisconnect= */ false,
          Http2FrameCodecBuilder.forServer().build(),
          new Http2MultiplexHandler(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel stream) {
                  stream
                      .pipeline()
                      .addLast(
                          new Http2StreamFrameToHttpObjectCodec(true),
                          new LosesBytes(),
                          new ChunkedWriteHandler(),
                          new BudgetedHttpAggregator(
                              new ByteCountAdmission(1_000, UnpooledByteBufAllocator.DEFAULT),
                              AggregatorOptions.upTo(1_000)),
                          new Responder());
                }
              }));

  /** What is written behind the head of the response; null for a content that is lost. */
  private @Nullable FullHttpResponse second;

  @AfterEach
  void close() {
    server.finishAndReleaseAll();
  }

  @Test
  void aStreamIsResetThoughTheEndOfItsLostResponseWasWritten() {
    assertThatItIsReset();
  }

  /** The codec would send it as the trailers of the first, and its end; or end the connection. */
  @ParameterizedTest
  @ValueSource(strings = {"", "failed"})
  void aStreamIsResetWhereAnotherHeadIsWritten(String content) {
    second =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.INTERNAL_SERVER_ERROR,
            Unpooled.copiedBuffer(content, StandardCharsets.US_ASCII));
    assertThatItIsReset();
    assertThat(second.refCnt()).isZero();
  }

  private void assertThatItIsReset() {
    server.writeInbound(
        Unpooled.wrappedBuffer(
            Http2Bytes.join(
                Http2Bytes.opening(),
                Http2Bytes.head(5),
                Http2Bytes.data("hello", /* end= */ true))));
    server.runPendingTasks();
    ByteBuf sent = Unpooled.buffer();
    for (ByteBuf bytes = server.readOutbound(); bytes != null; bytes = server.readOutbound()) {
      sent.writeBytes(bytes);
      bytes.release();
    }
    List<Integer> types = new ArrayList<>();
    while (sent.isReadable()) {
      int length = sent.readUnsignedMedium();
      int type = sent.readUnsignedByte();
      int flags = sent.readUnsignedByte();
      sent.skipBytes(Integer.BYTES + length);
      types.add(type);
      boolean mayEnd = type == DATA || type == HEADERS;
      assertThat(mayEnd && (flags & END_STREAM) != 0).as("the end").isFalse();
    }
    assertThat(types).contains(RST_STREAM).doesNotContain(GO_AWAY);
  }

  private static final class LosesBytes extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      if (message instanceof ByteBuf) {
        ReferenceCountUtil.release(message);
        promise.setFailure(new OutOfMemoryError("made by the test"));
      } else {
        ctx.write(message, promise);
      }
    }
  }

  /** Writes a response: what is written last is lost, or must be. */
  private final class Responder extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      if (second != null) {
        ctx.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        ctx.writeAndFlush(second);
        return;
      }
      ctx.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
      ctx.write(new ChunkedStream(new ByteArrayInputStream(new byte[100])));
      ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    }
  }
}
