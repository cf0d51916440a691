package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.File;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Pieces of a message that wait in a queue when its write is over are sent as they were. */
class OwnedPiecesTest {
  private static final int BYTES = 1_000;

  private static ByteBuf payload() {
    ByteBuf payload = Unpooled.directBuffer(BYTES);
    while (payload.isWritable()) {
      payload.writeByte(payload.writerIndex());
    }
    return payload;
  }

  @Test
  void piecesOfAWriteThatFailsAreSent() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ByteBuf bytes = (ByteBuf) message;
                ctx.write(bytes.readRetainedSlice(10));
                bytes.release();
                promise.setFailure(new ChannelOutputShutdownException("for the rest"));
              }
            });
    ByteBuf payload = payload();
    ChannelFuture sent = Owned.send(channel, payload);
    assertThat(sent.isSuccess()).isFalse();
    ByteBuf piece = channel.readOutbound();
    assertThat(piece).isEqualTo(Unpooled.wrappedBuffer(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    assertThat(payload.refCnt()).isOne();
    piece.release();
    assertThat(payload.refCnt()).isZero();
    channel.finishAndReleaseAll();
  }

  /** Its bytes are in the queue of its connection. */
  @Test
  void piecesOfAStreamThatClosesAreSent() throws Exception {
    AtomicBoolean full = new AtomicBoolean();
    Http2Ends ends =
        new Http2Ends(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void flush(ChannelHandlerContext ctx) {
                if (!full.get()) {
                  ctx.flush();
                }
              }
            });
    Http2StreamChannel stream = ends.open(new ChannelInboundHandlerAdapter());

    full.set(true);
    ByteBuf payload = payload();
    ChannelFuture sent =
        Owned.send(stream, new DefaultHttp2DataFrame(payload, /* endStream= */ false));
    ends.client.runPendingTasks();
    assertThat(sent.isDone()).isFalse();
    stream.close();
    ends.client.runPendingTasks();
    assertThat(payload.refCnt()).isPositive();
    full.set(false);
    ends.client.flush();
    ends.exchange();
    assertThat(received(ends.server)).isEqualTo(payload());
    assertThat(sent.isDone()).isTrue();
    ends.close();
    assertThat(payload.refCnt()).isZero();
  }

  private static ByteBuf received(EmbeddedChannel server) {
    ByteBuf all = Unpooled.buffer();
    for (Object frame = server.readInbound(); frame != null; frame = server.readInbound()) {
      if (frame instanceof Http2DataFrame data) {
        all.writeBytes(data.content());
      }
      ReferenceCountUtil.release(frame);
    }
    return all;
  }

  /** Which gives all back that it has, when it hears of the close. */
  @Test
  void whatAHandlerHasAsItsChannelClosesIsReleasedOnce() {
    AtomicBoolean heard = new AtomicBoolean();
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new ChunkedWriteHandler(),
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelInactive(ChannelHandlerContext ctx) {
                heard.set(true);
              }
            });
    channel.unsafe().outboundBuffer().setUserDefinedWritability(5, false);
    channel.write(new ChunkedStream(InputStream.nullInputStream()));
    DefaultFileRegion region = new DefaultFileRegion(new File("/dev/null"), 0, 1);
    ChannelFuture sent = Owned.send(channel, region);
    ByteBuf behind = payload();
    ChannelFuture written = channel.write(behind);
    channel.close();
    channel.runPendingTasks();
    channel.checkException();
    assertThat(heard).isTrue();
    assertThat(sent.isDone()).isTrue();
    assertThat(written.isDone()).isTrue();
    assertThat(region.refCnt()).isZero();
    assertThat(behind.refCnt()).isZero();
  }

  /** Transports keep where they are in it, for each message that they write. */
  @Test
  void twoWritesOfOneBufferHaveAPlaceInItEach() {
    EmbeddedChannel channel = new EmbeddedChannel();
    ByteBuf payload = payload();
    Owned.send(channel, payload.retain());
    Owned.send(channel, payload);
    ByteBuf one = channel.readOutbound();
    ByteBuf other = channel.readOutbound();
    ByteBuffer first = one.internalNioBuffer(0, BYTES);
    first.position(300);
    ByteBuffer second = other.internalNioBuffer(0, BYTES);
    assertThat(first.position()).isEqualTo(300);
    assertThat(second.remaining()).isEqualTo(BYTES);
    one.release();
    other.release();
    assertThat(payload.refCnt()).isZero();
    channel.finishAndReleaseAll();
  }
}
