package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import dev.weir.server.metrics.NodeMetrics;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.ssl.ApplicationProtocolNames;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Answers that end a connection, and take no memory of the pool: it may have none left. */
final class FixedAnswer {
  static final String TOO_MANY = "the node has as many clients as it takes";
  static final String NO_ROOM = "the node has no memory for this request now";
  static final OfEither TOO_MANY_CLIENTS = OfEither.saying(TOO_MANY);
  static final OfEither TOO_MANY_OF_ADDRESS =
      OfEither.saying("this address has as many connections as the node takes of one");
  private static final FixedAnswer NO_MEMORY = new FixedAnswer("503 Service Unavailable", NO_ROOM);
  private static final FixedAnswer FAILED =
      new FixedAnswer("500 Internal Server Error", "the node failed");

  private final int status;
  private final String reason;
  private final ByteBuf bytes;

  private FixedAnswer(String statusLine, String reason) {
    this(Integer.parseInt(statusLine.substring(0, 3)), reason, http1(statusLine, reason));
  }

  private FixedAnswer(int status, String reason, ByteBuf text) {
    this.status = status;
    this.reason = reason;
    ByteBuf direct = Unpooled.directBuffer(text.readableBytes()).writeBytes(text);
    bytes = Unpooled.unreleasableBuffer(direct).asReadOnly();
  }

  private static ByteBuf http1(String statusLine, String reason) {
    boolean later = statusLine.startsWith("503");
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
            .formatted(statusLine, later ? "Retry-After: 1\r\n" : "", reason.length() + 1, reason);
    return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
  }

  /** Settings that set nothing, which come first, and a GOAWAY that leaves out all requests. */
  private static ByteBuf goAway(String text) {
    byte[] reason = text.getBytes(StandardCharsets.US_ASCII);
    ByteBuf frames = Unpooled.buffer();
    Http2CodecUtil.writeFrameHeader(
        frames, /* payloadLength= */ 0, Http2FrameTypes.SETTINGS, new Http2Flags(), 0);
    Http2CodecUtil.writeFrameHeader(
        frames, 2 * Integer.BYTES + reason.length, Http2FrameTypes.GO_AWAY, new Http2Flags(), 0);
    frames.writeInt(0).writeInt((int) Http2Error.ENHANCE_YOUR_CALM.code());
    return frames.writeBytes(reason);
  }

  /** A refusal of a connection, for clients of either protocol. */
  record OfEither(FixedAnswer http1, FixedAnswer http2) {
    private static OfEither saying(String reason) {
      return new OfEither(
          new FixedAnswer("503 Service Unavailable", reason),
          new FixedAnswer(503, reason, goAway(reason)));
    }

    /** For a client that speaks what it agreed on with TLS; null for nothing. */
    FixedAnswer over(@Nullable String protocol) {
      return ApplicationProtocolNames.HTTP_2.equals(protocol) ? http2 : http1;
    }
  }

  /**
   * What a client is told whose request failed before it was answered; counted as its answer.
   *
   * @param failed null where no request had come
   */
  static FixedAnswer to(
      Failure failure, NodeMetrics metrics, String protocol, @Nullable ActiveExchange failed) {
    FixedAnswer answer = failure == Failure.MEMORY ? NO_MEMORY : FAILED;
    metrics.responded(protocol, failed == null ? "other" : failed.routeName(), answer.status);
    return answer;
  }

  /** Sends it on a channel without an encoder. */
  ChannelFuture send(Channel channel) {
    return channel.writeAndFlush(bytes.duplicate());
  }

  /** Sends it past the encoder. Nothing of another response must have been written. */
  ChannelFuture sendPastEncoder(ChannelHandlerContext ctx) {
    return ctx.pipeline().context(HttpResponseEncoder.class).writeAndFlush(bytes.duplicate());
  }

  /** For a stream of HTTP/2. The answer's head takes a small buffer. */
  FullHttpResponse message() {
    DefaultFullHttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(status),
            DirectBytes.of((reason + "\n").getBytes(StandardCharsets.US_ASCII)));
    answer
        .headers()
        .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
        .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
        .set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes())
        .set("X-Content-Type-Options", "nosniff");
    if (status == HttpResponseStatus.SERVICE_UNAVAILABLE.code()) {
      answer.headers().set(HttpHeaderNames.RETRY_AFTER, "1");
    }
    return answer;
  }
}
