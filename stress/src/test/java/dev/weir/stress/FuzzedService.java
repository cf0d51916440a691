package dev.weir.stress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.Owned;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A service in a channel in memory: handlers, and behind them an application that takes whole
 * requests, and answers each with a byte. Used by one thread.
 */
public final class FuzzedService {
  private final List<String> seen = new ArrayList<>();
  private final StringBuilder answers = new StringBuilder();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final int maximumBytes;

  /**
   * Opens it.
   *
   * @param maximumBytes what a request may have
   */
  public FuzzedService(ByteBufAllocator allocator, int maximumBytes, ChannelHandler... handlers) {
    this.maximumBytes = maximumBytes;
    channel.config().setAllocator(allocator);
    channel.pipeline().addLast(handlers).addLast(new Application());
  }

  /** Has every read asked for. */
  public void readManually() {
    channel.config().setAutoRead(false);
  }

  /** Whether it takes any more. */
  public boolean isOpen() {
    return channel.isOpen();
  }

  /** Brings a packet, if it is still open. */
  public void deliver(byte[] packet) {
    if (channel.isOpen()) {
      channel.read();
      channel.writeInbound(
          channel.alloc().directBuffer(Math.max(1, packet.length)).writeBytes(packet));
      channel.runPendingTasks();
    }
  }

  /** The client sends nothing more. */
  public void endInput() {
    if (channel.isOpen()) {
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    }
  }

  /** Runs what other threads have brought, and lets time go by. */
  public void passTime() {
    channel.runPendingTasks();
    channel.advanceTimeBy(1, TimeUnit.HOURS);
    channel.runPendingTasks();
  }

  /** Closes it. Nothing may have been thrown. */
  public void close() {
    channel.runPendingTasks();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      answers.append(part.toString(US_ASCII));
      part.release();
    }
    channel.finishAndReleaseAll();
    channel.runPendingTasks();
    channel.checkException();
    assertThat(answers.toString()).doesNotContain("HTTP/1.1 500");
  }

  /** What has reached the application. */
  public List<String> seen() {
    return seen;
  }

  /** What the client has got, once it is closed. */
  public String answers() {
    return answers.toString();
  }

  private final class Application extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      assertThat(request.content().readableBytes()).isLessThanOrEqualTo(maximumBytes);
      assertThat(request.decoderResult().isSuccess()).isTrue();
      seen.add(
          request.method()
              + " "
              + request.uri()
              + " "
              + request.headers().get(HttpHeaderNames.CONTENT_ENCODING)
              + " "
              + request.content().toString(ISO_8859_1)
              + request.trailingHeaders());
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, ctx.alloc().buffer(1).writeByte('x'));
      HttpUtil.setContentLength(response, 1);
      Owned.send(ctx, response);
    }
  }
}
