package dev.weir.lab.gateway;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Compresses responses through byte arrays, as filters of gateways do. Of one channel. */
final class HeapCompressor extends ChannelOutboundHandlerAdapter {
  private final boolean streams;
  private @Nullable PieceCoder coder;

  /** With a stream for each response, or else with a frame for each piece. */
  HeapCompressor(boolean streams) {
    this.streams = streams;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
      throws IOException {
    if (message instanceof HttpResponse response) {
      coder = streams ? PieceCoder.stream() : PieceCoder.copies();
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_ENCODING, "zstd")
          .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED)
          .remove(HttpHeaderNames.CONTENT_LENGTH);
      ctx.write(response, promise);
    } else if (message instanceof HttpContent content && coder != null) {
      ctx.write(coded(content, coder), promise);
    } else {
      ctx.write(message, promise);
    }
  }

  private static HttpContent coded(HttpContent content, PieceCoder coder) throws IOException {
    boolean last = content instanceof LastHttpContent;
    try {
      byte[] coded = coder.code(ByteBufUtil.getBytes(content.content()), last);
      return last
          ? new DefaultLastHttpContent(Unpooled.wrappedBuffer(coded))
          : new DefaultHttpContent(Unpooled.wrappedBuffer(coded));
    } finally {
      content.release();
    }
  }
}
