package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of writes to a stream of HTTP/2 as its connection closes. */
class OwnedOnStreamsTest {
  private final Http2Ends ends = new Http2Ends();

  @AfterEach
  void close() {
    ends.close();
  }

  private static ByteBuf payload() {
    return Unpooled.buffer(10).writeZero(10);
  }

  /** The streams' handlers hear of the close behind those of the connection. */
  @Test
  void whatAHandlerOfAStreamHasIsReleasedOnce() throws Exception {
    Http2StreamChannel stream = ends.open(new ChunkedWriteHandler());
    stream.write(
        new ChunkedStream(InputStream.nullInputStream()) {
          @Override
          public boolean isEndOfInput() {
            return false;
          }

          @Override
          public ByteBuf readChunk(ByteBufAllocator allocator) {
            return null; // Not yet.
          }
        });
    MemoryRegion region = new MemoryRegion(payload());
    ChannelFuture sent = Owned.send(stream, region);
    ByteBuf behind = payload();
    ChannelFuture written = stream.write(new DefaultHttp2DataFrame(behind));
    ends.client.runPendingTasks();
    ends.client.close();
    ends.client.runPendingTasks();
    ends.client.checkException();
    assertThat(sent.isDone()).isTrue();
    assertThat(written.isDone()).isTrue();
    assertThat(region.refCnt()).isZero();
    assertThat(behind.refCnt()).isZero();
  }

  /** Between the close of the connection and that of the stream; and nobody gives it back. */
  @Test
  void whatIsLostBehindTheCloseOfTheConnectionGoesBack() throws Exception {
    Http2StreamChannel stream =
        ends.open(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                if (!(message instanceof Http2DataFrame)) {
                  ctx.write(message, promise);
                }
              }
            });
    OwnedWrites.of(ends.client);
    ByteBuf payload = payload();
    AtomicReference<ChannelFuture> sent = new AtomicReference<>();
    ends.client
        .closeFuture()
        .addListener(closed -> {
          assertThat(stream.isOpen()).isTrue();
          sent.set(Owned.send(stream, new DefaultHttp2DataFrame(payload)));
        });
    ends.client.close();
    ends.client.runPendingTasks();
    assertThat(payload.refCnt()).isZero();
    assertThat(sent.get().isDone()).isTrue();
    assertThat(sent.get().isSuccess()).isFalse();
  }
}
