package dev.weir.lab.slowclients;

import dev.weir.lab.load.RandomBody;
import dev.weir.lab.load.SmallRequests;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;

/** Answers small requests at once, sends downloads, and passes uploads on. */
@Sharable
final class SmallAndDownloads extends ChannelInboundHandlerAdapter {
  private final Downloads downloads;
  private final RandomBody body;

  SmallAndDownloads(Downloads downloads, RandomBody body) {
    this.downloads = downloads;
    this.body = body;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    FullHttpRequest request = (FullHttpRequest) message;
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    switch (uri.path()) {
      case SmallRequests.PATH -> {
        request.release();
        ctx.writeAndFlush(empty());
      }
      case "/download" -> {
        request.release();
        long bytes =
            Long.parseLong(uri.parameters().getOrDefault("bytes", List.of("0")).getFirst());
        downloads.answer(ctx, body.withLength(bytes));
      }
      default -> ctx.fireChannelRead(request);
    }
  }

  private static FullHttpResponse empty() {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.EMPTY_BUFFER);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
    return response;
  }
}
