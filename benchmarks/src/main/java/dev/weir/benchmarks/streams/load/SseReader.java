package dev.weir.benchmarks.streams.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;

/** A reader by server-sent events, from the tail on. It looks for times and at nothing else. */
final class SseReader extends SimpleChannelInboundHandler<ByteBuf> {
  private final Target target;
  private final Arrivals arrivals;
  private final NumberScan scan;
  private boolean hasStarted;

  SseReader(Target target, Arrivals arrivals) {
    this.target = target;
    this.arrivals = arrivals;
    this.scan = new NumberScan(arrivals::arrived);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    String request =
        "GET %s?offset=now&live=sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
            .formatted(target.path(1));
    context.writeAndFlush(Unpooled.copiedBuffer(request, US_ASCII));
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf piece) {
    if (!hasStarted) {
      hasStarted = true;
      arrivals.started().countDown();
    }
    scan.scan(piece);
  }
}
