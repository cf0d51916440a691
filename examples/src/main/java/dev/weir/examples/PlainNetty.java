package dev.weir.examples;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.netty.write.Owned;
import dev.weir.netty.write.WriteGate;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

/**
 * Netty alone: bodies are held whole, each after the pool has granted its memory, and go back; who
 * does not take them is closed.
 */
public final class PlainNetty extends SimpleChannelInboundHandler<FullHttpRequest> {
  /** For event loops and a transport of yours. */
  public static ServerBootstrap server(WeirAllocator allocator, WriteGate gate) {
    Admission admission = new WeirAdmission(allocator);
    AggregatorOptions options = AggregatorOptions.upTo(8 << 20);
    return new ServerBootstrap()
        .option(ChannelOption.ALLOCATOR, allocator)
        .childOption(ChannelOption.ALLOCATOR, allocator)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                ChannelHandler bodies = new BudgetedHttpAggregator(admission, options);
                channel
                    .pipeline()
                    .addLast(gate.newHandler(), new HttpServerCodec(), bodies, new PlainNetty());
              }
            });
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    ByteBuf body = request.content().retain();
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
    HttpUtil.setContentLength(response, body.readableBytes());
    Owned.send(ctx.channel(), response);
  }
}
