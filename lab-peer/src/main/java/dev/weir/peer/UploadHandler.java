package dev.weir.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** Answers each upload with its length, and closes a connection on which something goes wrong. */
final class UploadHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private final UploadCounts counts;

  UploadHandler(UploadCounts counts) {
    this.counts = counts;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    String length = Integer.toString(request.content().readableBytes());
    ByteBuf text = Unpooled.wrappedBuffer(length.getBytes(StandardCharsets.US_ASCII));
    FullHttpResponse answer =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, text);
    answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, length.length());
    counts.answered();
    ctx.writeAndFlush(answer);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    counts.failed(cause);
    ctx.close();
  }
}
