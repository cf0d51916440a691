package dev.weir.lab.gateway;

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
import java.util.concurrent.TimeUnit;

/** Answers with a text in two pieces, the second of which comes a millisecond later. */
final class GatewayHandler extends SimpleChannelInboundHandler<HttpRequest> {
  private static final int FIRST_BYTES = 12 << 10;

  private final byte[] text;

  GatewayHandler(byte[] text) {
    this.text = text;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpRequest request) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
        .set(HttpHeaderNames.CONTENT_LENGTH, text.length);
    ctx.write(head);
    int first = Math.min(FIRST_BYTES, text.length);
    ctx.writeAndFlush(new DefaultHttpContent(piece(ctx, 0, first)));
    ctx.executor().schedule(() -> end(ctx, first), 1, TimeUnit.MILLISECONDS);
  }

  private void end(ChannelHandlerContext ctx, int from) {
    if (ctx.channel().isActive()) {
      ctx.write(new DefaultHttpContent(piece(ctx, from, text.length - from)));
      ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    }
  }

  private ByteBuf piece(ChannelHandlerContext ctx, int from, int bytes) {
    return ctx.alloc().directBuffer(bytes).writeBytes(text, from, bytes);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
