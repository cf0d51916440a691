package dev.weir.netty.http;

import dev.weir.netty.flow.AdmissionRefusedException;
import dev.weir.netty.log.FailureLog;
import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request that is answered without reaching the application, and the status that says so. */
final class RefusedRequestException extends Exception {
  private static final long serialVersionUID = 1L;

  private static final FailureLog LOG = new FailureLog(RefusedRequestException.class);

  private final transient HttpResponseStatus status;
  private final boolean worthRetrying;

  /** Refuses for good. The message becomes the one-line body of the response. */
  RefusedRequestException(HttpResponseStatus status, String message) {
    this(status, message, /* worthRetrying= */ false, /* failure= */ null);
  }

  private RefusedRequestException(
      HttpResponseStatus status,
      String message,
      boolean worthRetrying,
      @Nullable Throwable failure) {
    super(message, failure, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    this.status = status;
    this.worthRetrying = worthRetrying;
  }

  static RefusedRequestException tooLarge(long maximumBytes) {
    return new RefusedRequestException(
        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
        "body larger than the maximum of " + maximumBytes + " bytes");
  }

  static RefusedRequestException overloaded(String message) {
    return overloaded(message, /* failure= */ null);
  }

  /** The same because of a failure that operators are to hear of, and the client is not. */
  static RefusedRequestException overloaded(String message, @Nullable Throwable failure) {
    return new RefusedRequestException(
        HttpResponseStatus.SERVICE_UNAVAILABLE, message, /* worthRetrying= */ true, failure);
  }

  /** Tells what the decoder found wrong. */
  static RefusedRequestException malformed(Throwable decoderFailure) {
    HttpResponseStatus status =
        switch (decoderFailure) {
          case TooLongHttpLineException tooLong -> HttpResponseStatus.REQUEST_URI_TOO_LONG;
          case TooLongHttpHeaderException tooLong ->
              HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE;
          default -> HttpResponseStatus.BAD_REQUEST;
        };
    return new RefusedRequestException(status, "malformed request: " + status.reasonPhrase());
  }

  /**
   * Tells why the admission of {@code bytes} failed; operators where no bound of memory was met.
   */
  static RefusedRequestException notAdmitted(long bytes, Throwable failure) {
    if (failure instanceof AdmissionRefusedException refusal
        && refusal.reason() == AdmissionRefusedException.Reason.ABOVE_LIMIT) {
      return new RefusedRequestException(
          HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
          "body of " + bytes + " bytes is larger than the memory of this server allows");
    }
    boolean isBound =
        failure instanceof AdmissionRefusedException
            || failure instanceof RefusedRequestException
            || MemoryRefusals.isRefusal(failure);
    return overloaded("no memory for " + bytes + " bytes now, try again", isBound ? null : failure);
  }

  /** Tells that memory was refused, or that something failed which nobody has foreseen. */
  static RefusedRequestException of(Throwable failure) {
    return MemoryRefusals.isRefusal(failure)
        ? overloaded("no memory for the request now, try again")
        : new RefusedRequestException(
            HttpResponseStatus.INTERNAL_SERVER_ERROR,
            "the request could not be taken in",
            /* worthRetrying= */ false,
            failure);
  }

  /** Tells operators of the failure, if there is one for them. Throws nothing. */
  void log() {
    Throwable failure = getCause();
    if (failure != null) {
      LOG.report("a request was refused: " + getMessage(), failure);
    }
  }

  /** Makes the response; the connection ends with it. */
  FullHttpResponse toResponse(Duration retryAfter) {
    String line = getMessage() + "\n";
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            status,
            Unpooled.wrappedBuffer(line.getBytes(StandardCharsets.UTF_8)));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
        .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    if (worthRetrying) {
      response.headers().set(HttpHeaderNames.RETRY_AFTER, ceilSeconds(retryAfter));
    }
    return response;
  }

  private static long ceilSeconds(Duration delay) {
    long seconds = delay.getSeconds();
    return delay.getNano() == 0 || seconds == Long.MAX_VALUE ? seconds : seconds + 1;
  }
}
