package dev.weir.compression.http;

import dev.weir.compression.ContentCoding;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.CharsetUtil;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A request whose content cannot be had; the message is what its client is told. */
public final class RequestRefusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient HttpResponseStatus status;

  RequestRefusal(HttpResponseStatus status, String reason) {
    this(status, reason, /* cause= */ null);
  }

  private RequestRefusal(HttpResponseStatus status, String reason, @Nullable Throwable cause) {
    super(reason, cause, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    this.status = status;
  }

  /**
   * What a failure while a content is decompressed comes to: the cause of the refusal, where it is
   * not the client's fault.
   */
  static RequestRefusal of(Throwable failure) {
    return switch (failure) {
      case RequestRefusal known -> known;
      case CorruptInputException corrupt ->
          new RequestRefusal(HttpResponseStatus.BAD_REQUEST, String.valueOf(corrupt.getMessage()));
      case OutOfMemoryError refused when MemoryRefusals.isRefusal(refused) ->
          new RequestRefusal(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              "there is no memory to decompress the content",
              refused);
      default ->
          new RequestRefusal(
              HttpResponseStatus.INTERNAL_SERVER_ERROR,
              "the content could not be decompressed",
              failure);
    };
  }

  /** The status of the answer. */
  public HttpResponseStatus status() {
    return status;
  }

  /**
   * The answer, after which the connection ends.
   *
   * @param codings what would have been understood
   */
  FullHttpResponse answer(List<ContentCoding> codings) {
    FullHttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            status,
            Unpooled.copiedBuffer(getMessage() + "\n", CharsetUtil.US_ASCII));
    answer
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
        .set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    if (status.equals(HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE)) {
      answer
          .headers()
          .set(
              HttpHeaderNames.ACCEPT_ENCODING,
              codings.stream().map(ContentCoding::token).collect(Collectors.joining(", ")));
    } else if (status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)) {
      answer.headers().set(HttpHeaderNames.RETRY_AFTER, "1");
    }
    return answer;
  }
}
