package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.nio.charset.StandardCharsets;

/** Answers that end a connection, and take no memory of the pool: it may have none left. */
final class FixedAnswer {
  static final FixedAnswer TOO_MANY_CLIENTS =
      new FixedAnswer("503 Service Unavailable", "the node has as many clients as it takes");
  private static final FixedAnswer NO_MEMORY =
      new FixedAnswer("503 Service Unavailable", "the node has no memory for this request now");
  private static final FixedAnswer FAILED =
      new FixedAnswer("500 Internal Server Error", "the node failed");

  private final int status;
  private final ByteBuf bytes;

  private FixedAnswer(String statusLine, String reason) {
    status = Integer.parseInt(statusLine.substring(0, 3));
    String text =
        """
        HTTP/1.1 %s\r
        %sConnection: close\r
        Cache-Control: no-store\r
        Content-Type: text/plain; charset=utf-8\r
        X-Content-Type-Options: nosniff\r
        Content-Length: %d\r
        \r
        %s
        """
            .formatted(
                statusLine, status == 503 ? "Retry-After: 1\r\n" : "", reason.length() + 1, reason);
    ByteBuf direct = Unpooled.directBuffer(text.length());
    direct.writeCharSequence(text, StandardCharsets.US_ASCII);
    bytes = Unpooled.unreleasableBuffer(direct).asReadOnly();
  }

  /** What a client is told whose request failed before it was answered. */
  static FixedAnswer to(Failure failure) {
    return failure == Failure.MEMORY ? NO_MEMORY : FAILED;
  }

  int status() {
    return status;
  }

  /** Sends it on a channel without an encoder. */
  ChannelFuture send(Channel channel) {
    return channel.writeAndFlush(bytes.duplicate());
  }

  /** Sends it past the encoder. Nothing of another response must have been written. */
  ChannelFuture sendPastEncoder(ChannelHandlerContext ctx) {
    return ctx.pipeline().context(HttpResponseEncoder.class).writeAndFlush(bytes.duplicate());
  }
}
