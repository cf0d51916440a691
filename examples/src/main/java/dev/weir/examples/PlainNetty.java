package dev.weir.examples;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.netty.write.Owned;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;

/** Netty alone: bodies are held whole, each after the pool has granted its memory, and go back. */
public final class PlainNetty {
  private PlainNetty() {}

  /** Serves on a free port of this machine. */
  public static Channel start(WeirAllocator allocator, EventLoopGroup loops) {
    Admission admission = new WeirAdmission(allocator);
    AggregatorOptions options = AggregatorOptions.upTo(8 << 20);
    return new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.ALLOCATOR, allocator)
        .childOption(ChannelOption.ALLOCATOR, allocator)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel
                    .pipeline()
                    .addLast(new HttpServerCodec())
                    .addLast(new BudgetedHttpAggregator(admission, options))
                    .addLast(new Echo());
              }
            })
        .bind(InetAddress.getLoopbackAddress(), 0)
        .syncUninterruptibly()
        .channel();
  }

  private static final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      FullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, request.content().retain());
      HttpUtil.setContentLength(response, response.content().readableBytes());
      Owned.send(ctx.channel(), response);
    }
  }
}
