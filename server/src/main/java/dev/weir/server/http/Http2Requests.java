package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.HttpConversionUtil;

/**
 * Makes the same of a stream's frames that the decoder makes of HTTP/1.1: a head, and pieces of a
 * body of which the last one says so. A head that cannot be served says why, as its decoder result;
 * Netty's codec would fail for it.
 */
@Sharable
final class Http2Requests extends ChannelInboundHandlerAdapter {
  static final Http2Requests HANDLER = new Http2Requests();

  private Http2Requests() {}

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ctx.fireChannelRead(
        switch (message) {
          case Http2HeadersFrame head -> request(head);
          case Http2DataFrame data -> piece(data.content(), data.isEndStream());
          default -> message;
        });
  }

  private static HttpRequest request(Http2HeadersFrame head) {
    HttpRequest request = convert(head);
    if (!head.isEndStream() && !HttpUtil.isContentLengthSet(request)) {
      // What HTTP/1 would say of such a body.
      HttpUtil.setTransferEncodingChunked(request, /* chunked= */ true);
    }
    return request;
  }

  private static HttpRequest convert(Http2HeadersFrame head) {
    Http2Headers headers = head.headers();
    try {
      CharSequence path = headers.path();
      if (path != null && path.length() > HttpLimits.MAX_REQUEST_LINE_BYTES) {
        throw new TooLongHttpLineException();
      }
      if (headers.method() == null || path == null) {
        throw new IllegalArgumentException("a request needs :method and :path");
      }
      int stream = head.stream() == null ? 0 : head.stream().id();
      return HttpConversionUtil.toHttpRequest(stream, headers, /* validateHttpHeaders= */ true);
    } catch (Http2Exception | RuntimeException malformed) {
      HttpRequest none = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "*");
      none.setDecoderResult(DecoderResult.failure(malformed));
      return none;
    }
  }

  private static HttpContent piece(ByteBuf bytes, boolean last) {
    if (!last) {
      return new DefaultHttpContent(bytes);
    }
    return bytes.isReadable()
        ? new DefaultLastHttpContent(bytes)
        : LastHttpContent.EMPTY_LAST_CONTENT;
  }
}
