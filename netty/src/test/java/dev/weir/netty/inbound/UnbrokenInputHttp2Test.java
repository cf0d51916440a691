package dev.weir.netty.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.write.Http2Ends;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A body that comes by HTTP/2 is a beginning of what was sent, and a stream is like a channel. */
class UnbrokenInputHttp2Test {
  private static final int DATA_FRAMES = 6;
  private static final int FRAME_BYTES = 8_000;
  private static final int PIECE_BYTES = 3_000;

  private final WeirAllocator allocator = WeirAllocator.withLimit(8L << 20);

  @AfterEach
  void everythingIsReleased() {
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    allocator.close();
  }

  @Test
  void aBeginningOfABodyComes() throws Exception {
    int closed = 0;
    int pieces = Math.ceilDiv(DATA_FRAMES * (FRAME_BYTES + 9), PIECE_BYTES);
    for (int shortAt = 0; shortAt < pieces; shortAt++) {
      closed += send(shortAt) ? 1 : 0;
    }
    assertThat(closed).as("pieces for which there was no memory").isPositive();
  }

  private boolean send(int shortAt) throws Exception {
    try (Ends ends = new Ends()) {
      Http2StreamChannel stream = ends.open();
      ByteArrayOutputStream wanted = new ByteArrayOutputStream();
      for (int i = 0; i < DATA_FRAMES; i++) {
        byte[] frame = Frames.frame(i, FRAME_BYTES);
        wanted.writeBytes(frame);
        stream.write(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(frame)));
      }
      stream.flush();
      byte[] sent = ends.sent();
      for (int at = 0, index = 0; at < sent.length; at += PIECE_BYTES, index++) {
        byte[] piece = Arrays.copyOfRange(sent, at, Math.min(at + PIECE_BYTES, sent.length));
        if (index == shortAt) {
          Shortage.during(allocator, /* leastBytes= */ 16, () -> ends.receive(piece));
        } else {
          ends.receive(piece);
        }
      }
      boolean open = ends.server.isOpen();
      byte[] content = ends.content.toByteArray();
      assertThat(content)
          .as("short at %d", shortAt)
          .isEqualTo(Arrays.copyOf(wanted.toByteArray(), content.length));
      assertThat(content.length == wanted.size()).as("short at %d", shortAt).isEqualTo(open);
      return !open;
    }
  }

  /** The stream is reset; its connection, and those beside it, go on. */
  @Test
  void aStreamIsReset() throws Exception {
    try (Ends ends = new Ends()) {
      ends.framed = true;
      Http2StreamChannel refused = ends.open();
      byte[] bytes = Frames.MERGED.encode(Frames.frame(1, 2 * FRAME_BYTES));
      write(refused, Arrays.copyOf(bytes, FRAME_BYTES));
      Http2Ends.exchange(ends.client, ends.server);
      write(refused, Arrays.copyOfRange(bytes, FRAME_BYTES, bytes.length));
      byte[] sent = ends.sent();
      // The codec finds the whole frame in what comes; for its own frames there is room.
      Shortage.during(allocator, /* leastBytes= */ FRAME_BYTES, () -> ends.receive(sent));
      Http2Ends.exchange(ends.client, ends.server);
      assertThat(ends.resets).hasSize(1);

      Http2StreamChannel other = ends.open();
      write(other, bytes);
      Http2Ends.exchange(ends.client, ends.server);
      assertThat(ends.content.toByteArray()).isEqualTo(Frames.frame(1, 2 * FRAME_BYTES));
      assertThat(ends.server.isOpen()).isTrue();
    }
  }

  private static void write(Http2StreamChannel stream, byte[] bytes) {
    stream.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(bytes)));
  }

  private final class Ends implements AutoCloseable {
    final ByteArrayOutputStream content = new ByteArrayOutputStream();
    final List<Http2ResetFrame> resets = new ArrayList<>();
    final EmbeddedChannel server = new EmbeddedChannel();
    final EmbeddedChannel client;
    boolean framed;

    Ends() {
      server.config().setAllocator(allocator);
      UnbrokenInput.addTo(server.pipeline(), Http2FrameCodecBuilder.forServer().build());
      server
          .pipeline()
          .addLast(
              new Http2MultiplexHandler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel stream) {
                      stream.config().setAllocator(allocator);
                      stream.pipeline().addLast(new Contents());
                      if (framed) {
                        UnbrokenInput.addTo(
                            stream.pipeline(),
                            new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4));
                      }
                      stream.pipeline().addLast(new Collector());
                    }
                  }));
      server.pipeline().addLast(new Collector());
      client =
          new EmbeddedChannel(
              Http2FrameCodecBuilder.forClient().build(),
              new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
      Http2Ends.exchange(client, server);
    }

    Http2StreamChannel open() throws Exception {
      var opening =
          new Http2StreamChannelBootstrap(client)
              .handler(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                      if (event instanceof Http2ResetFrame reset) {
                        resets.add(reset);
                      }
                    }
                  })
              .open();
      client.runPendingTasks();
      Http2StreamChannel stream = opening.get();
      stream.writeAndFlush(
          new DefaultHttp2HeadersFrame(
              new DefaultHttp2Headers().method("POST").scheme("http").path("/").authority("weir")));
      Http2Ends.exchange(client, server);
      return stream;
    }

    /** What the client has sent and the server not got. */
    byte[] sent() {
      client.runPendingTasks();
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (ByteBuf next = client.readOutbound(); next != null; next = client.readOutbound()) {
        all.writeBytes(ByteBufUtil.getBytes(next));
        next.release();
      }
      return all.toByteArray();
    }

    void receive(byte[] bytes) {
      if (server.isOpen()) {
        server.writeInbound(Unpooled.wrappedBuffer(bytes));
      } else {
        server.pipeline().fireChannelRead(Unpooled.wrappedBuffer(bytes));
      }
    }

    @Override
    public void close() {
      client.finishAndReleaseAll();
      server.finishAndReleaseAll();
    }

    private final class Collector extends ChannelInboundHandlerAdapter {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws IOException {
        if (message instanceof ByteBuf part) {
          part.readBytes(content, part.readableBytes());
        }
        ReferenceCountUtil.release(message);
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        assertThat(cause).isInstanceOf(OutOfMemoryError.class);
      }
    }
  }

  /** The content of DATA frames. */
  private static final class Contents extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http2DataFrame data) {
        ctx.fireChannelRead(data.content());
      } else {
        ReferenceCountUtil.release(message);
      }
    }
  }
}
