package dev.weir.compression.http;

import dev.weir.compression.ContentCoding;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;

/** Heads of responses, changed in copies: an application may use one for many responses. */
final class ResponseHeads {
  private ResponseHeads() {}

  /** How long the content is; negative if that is not known. */
  static long contentBytes(HttpResponse response) {
    return response instanceof FullHttpResponse full
        ? full.content().readableBytes()
        : HttpUtil.getContentLength(response, -1L);
  }

  /** A response that is not compressed, as its plan has it pass. */
  static HttpResponse passed(HttpResponse response, ResponsePlan plan) {
    return switch (plan.action()) {
      case PASS -> response;
      case PASS_AND_VARY, ENCODE -> varying(response);
      case HEAD_ONLY -> headOnly(response, plan.requireCoding());
      case NOT_MODIFIED -> notModified(response);
      case REFUSE -> inPlaceOf(response, HttpResponseStatus.NOT_ACCEPTABLE);
    };
  }

  /** The head, saying that other clients may get the content otherwise. */
  private static HttpResponse varying(HttpResponse response) {
    HttpHeaders headers = response.headers().copy();
    vary(headers);
    return copy(response, headers);
  }

  /** The head of a response to {@code HEAD}, as the compressed one would have it. */
  private static HttpResponse headOnly(HttpResponse response, ContentCoding coding) {
    return copy(response, encoded(response, coding));
  }

  /** The head that says of a compressed content that it is as it was. */
  private static HttpResponse notModified(HttpResponse response) {
    return copy(response, EncodedHeaders.of(response.headers()));
  }

  /** The head of a compressed content whose length is not known. */
  static HttpResponse streamed(HttpResponse response, ContentCoding coding) {
    HttpHeaders headers =
        encoded(response, coding)
            .drop(HttpHeaderNames.TRANSFER_ENCODING)
            .put(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    return new DefaultHttpResponse(response.protocolVersion(), response.status(), headers);
  }

  /**
   * The headers of a compressed content of that length. It is not told of one that comes in chunks
   * for the sake of its trailers.
   */
  static HttpHeaders whole(FullHttpResponse response, ContentCoding coding, long bytes) {
    EncodedHeaders headers = encoded(response, coding);
    if (HttpUtil.isTransferEncodingChunked(response) && !response.trailingHeaders().isEmpty()) {
      return headers;
    }
    return headers
        .drop(HttpHeaderNames.TRANSFER_ENCODING)
        .put(HttpHeaderNames.CONTENT_LENGTH, Long.toString(bytes));
  }

  /** A response without content in the place of another. */
  static FullHttpResponse inPlaceOf(HttpResponse response, HttpResponseStatus status) {
    FullHttpResponse answer =
        new DefaultFullHttpResponse(response.protocolVersion(), status, Unpooled.EMPTY_BUFFER);
    vary(answer.headers());
    answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, HttpHeaderValues.ZERO);
    String connection = response.headers().get(HttpHeaderNames.CONNECTION);
    if (connection != null) {
      answer.headers().set(HttpHeaderNames.CONNECTION, connection);
    }
    if (status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)) {
      answer.headers().set(HttpHeaderNames.RETRY_AFTER, "1");
    }
    return answer;
  }

  private static EncodedHeaders encoded(HttpResponse response, ContentCoding coding) {
    return EncodedHeaders.of(response.headers())
        .put(HttpHeaderNames.CONTENT_ENCODING, coding.token());
  }

  private static void vary(HttpHeaders headers) {
    if (!EncodedHeaders.varies(headers)) {
      headers.add(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING);
    }
  }

  private static HttpResponse copy(HttpResponse response, HttpHeaders headers) {
    if (response instanceof FullHttpResponse full) {
      ByteBuf content = full.content();
      return new DefaultFullHttpResponse(
          full.protocolVersion(), full.status(), content, headers, full.trailingHeaders());
    }
    return new DefaultHttpResponse(response.protocolVersion(), response.status(), headers);
  }
}
