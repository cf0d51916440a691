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
import java.util.List;

/** Heads of responses, changed in copies: an application may use one for many responses. */
final class ResponseHeads {
  /** What is said of a content byte by byte, and no longer true of the compressed one. */
  private static final List<String> DIGESTS =
      List.of("content-md5", "content-digest", "repr-digest", "digest");

  private static final String WEAK = "W/";

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
    HttpHeaders headers = encoded(response, coding);
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    return copy(response, headers);
  }

  /** The head that says of a compressed content that it is as it was. */
  private static HttpResponse notModified(HttpResponse response) {
    HttpHeaders headers = ofCompressed(response);
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    return copy(response, headers);
  }

  /** The head of a compressed content whose length is not known. */
  static HttpResponse streamed(HttpResponse response, ContentCoding coding) {
    HttpHeaders headers = encoded(response, coding);
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    HttpResponse head =
        new DefaultHttpResponse(response.protocolVersion(), response.status(), headers);
    HttpUtil.setTransferEncodingChunked(head, true);
    return head;
  }

  /** The head of a compressed content of that length. */
  static HttpHeaders whole(HttpResponse response, ContentCoding coding, long bytes) {
    HttpHeaders headers = encoded(response, coding);
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
    headers.set(HttpHeaderNames.CONTENT_LENGTH, bytes);
    return headers;
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

  private static HttpHeaders encoded(HttpResponse response, ContentCoding coding) {
    HttpHeaders headers = ofCompressed(response);
    headers.set(HttpHeaderNames.CONTENT_ENCODING, coding.token());
    return headers;
  }

  private static HttpHeaders ofCompressed(HttpResponse response) {
    HttpHeaders headers = response.headers().copy();
    vary(headers);
    weaken(headers);
    for (String digest : DIGESTS) {
      headers.remove(digest);
    }
    return headers;
  }

  private static void vary(HttpHeaders headers) {
    if (!headers.containsValue(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING, true)
        && !headers.containsValue(HttpHeaderNames.VARY, "*", true)) {
      headers.add(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING);
    }
  }

  /** The compressed content is not the same byte by byte, so a strong tag is another's. */
  private static void weaken(HttpHeaders headers) {
    String tag = headers.get(HttpHeaderNames.ETAG);
    if (tag != null && !tag.startsWith(WEAK)) {
      headers.set(HttpHeaderNames.ETAG, WEAK + tag);
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
