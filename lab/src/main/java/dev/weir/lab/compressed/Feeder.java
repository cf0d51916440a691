package dev.weir.lab.compressed;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Answers each request with a text that comes a piece at a time, as from a store or another
 * service, and goes on whether the client is still there or not.
 */
final class Feeder extends SimpleChannelInboundHandler<HttpRequest> {
  private static final int PIECE_BYTES = 16 << 10;

  private final byte[] text;

  Feeder(byte[] text) {
    this.text = text;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpRequest request) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
        .set(HttpHeaderNames.CONTENT_LENGTH, text.length);
    ctx.write(head);
    feed(ctx, 0);
  }

  private void feed(ChannelHandlerContext ctx, int from) {
    int bytes = Math.min(PIECE_BYTES, text.length - from);
    ByteBuf piece = ctx.alloc().directBuffer(bytes).writeBytes(text, from, bytes);
    ctx.write(new DefaultHttpContent(piece));
    int next = from + bytes;
    if (next == text.length) {
      ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
      return;
    }
    ctx.flush();
    ctx.executor().execute(() -> feed(ctx, next));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
