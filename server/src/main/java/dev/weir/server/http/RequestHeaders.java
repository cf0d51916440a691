package dev.weir.server.http;

import dev.weir.streams.CreateRequest.ForkRequest;
import dev.weir.streams.ProducerTag;
import dev.weir.streams.StreamConfig;
import dev.weir.streams.protocol.Offset;
import dev.weir.streams.protocol.ProtocolException;
import dev.weir.streams.protocol.StreamPath;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the protocol's request headers; what is malformed is refused with 400 and the header's
 * name.
 */
final class RequestHeaders {
  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,17}");
  private static final Pattern DIGITS = Pattern.compile("[0-9]{1,18}");

  /** Numbers are limited to what JavaScript clients can count. */
  private static final long MAX_SAFE_INTEGER = (1L << 53) - 1;

  /** About a thousand years; above, arithmetic in milliseconds might overflow. */
  private static final long MAX_TTL_SECONDS = 31_536_000_000L;

  private RequestHeaders() {}

  /** The media type with its parameters; null when the header is missing or names none. */
  static @Nullable String contentType(HttpHeaders headers) {
    String value = headers.get(HttpHeaderNames.CONTENT_TYPE);
    String type = value == null ? "" : value.trim();
    return MediaTypeSyntax.isValid(type) ? type : null;
  }

  /** Idle seconds after which the stream expires; {@link StreamConfig#NONE} without. */
  static long ttlSeconds(HttpHeaders headers) throws ProtocolException {
    String value = headers.get(Headers.TTL);
    if (value == null) {
      return StreamConfig.NONE;
    }
    if (headers.contains(Headers.EXPIRES_AT)) {
      throw ProtocolException.badRequest("Stream-TTL and Stream-Expires-At exclude each other");
    }
    if (!NUMBER.matcher(value).matches() || Long.parseLong(value) > MAX_TTL_SECONDS) {
      throw ProtocolException.badRequest(
          "Stream-TTL must be a whole number of seconds, at most " + MAX_TTL_SECONDS);
    }
    return Long.parseLong(value);
  }

  /** When the stream expires, in milliseconds since 1970; {@link StreamConfig#NONE} without. */
  static long expiresAtMillis(HttpHeaders headers) throws ProtocolException {
    String value = headers.get(Headers.EXPIRES_AT);
    if (value == null) {
      return StreamConfig.NONE;
    }
    try {
      return Math.max(0, OffsetDateTime.parse(value).toInstant().toEpochMilli());
    } catch (DateTimeException | ArithmeticException e) {
      throw ProtocolException.badRequest(
          "Stream-Expires-At must be an RFC 3339 time such as 2030-01-31T12:00:00Z");
    }
  }

  static @Nullable ProducerTag producer(HttpHeaders headers) throws ProtocolException {
    String id = headers.get(Headers.PRODUCER_ID);
    String epoch = headers.get(Headers.PRODUCER_EPOCH);
    String sequence = headers.get(Headers.PRODUCER_SEQ);
    if (id == null && epoch == null && sequence == null) {
      return null;
    }
    if (id == null || epoch == null || sequence == null) {
      throw ProtocolException.badRequest(
          "Producer-Id, Producer-Epoch and Producer-Seq go together");
    }
    if (id.isEmpty()) {
      throw ProtocolException.badRequest("Producer-Id must not be empty");
    }
    if (ByteBufUtil.utf8Bytes(id) > ProducerTag.MAX_ID_BYTES) {
      throw ProtocolException.badRequest(
          "Producer-Id is over the limit of " + ProducerTag.MAX_ID_BYTES + " bytes");
    }
    return new ProducerTag(
        id,
        safeInteger(Headers.PRODUCER_EPOCH, epoch),
        safeInteger(Headers.PRODUCER_SEQ, sequence));
  }

  /** Where a fork branches off, its point not resolved; null for no fork. */
  static @Nullable ForkRequest fork(HttpHeaders headers) throws ProtocolException {
    String source = headers.get(Headers.FORKED_FROM);
    String offset = headers.get(Headers.FORK_OFFSET);
    String subOffset = headers.get(Headers.FORK_SUB_OFFSET);
    if (source == null) {
      if (offset != null || subOffset != null) {
        throw ProtocolException.badRequest(
            "Stream-Fork-Offset and Stream-Fork-Sub-Offset need " + "Stream-Forked-From");
      }
      return null;
    }
    if (subOffset != null && !NUMBER.matcher(subOffset).matches()) {
      throw ProtocolException.badRequest("Stream-Fork-Sub-Offset must be a whole number");
    }
    long sub = subOffset == null ? 0 : Long.parseLong(subOffset);
    if (sub > 0 && offset == null) {
      throw ProtocolException.badRequest("Stream-Fork-Sub-Offset needs Stream-Fork-Offset");
    }
    long anchor = offset == null ? ForkRequest.TAIL : Offset.parse(offset);
    return ForkRequest.of(StreamPath.parse(source), anchor, sub);
  }

  private static long safeInteger(CharSequence name, String value) throws ProtocolException {
    if (!DIGITS.matcher(value).matches() || Long.parseLong(value) > MAX_SAFE_INTEGER) {
      throw ProtocolException.badRequest(
          name + " must be a whole number, at most " + MAX_SAFE_INTEGER);
    }
    return Long.parseLong(value);
  }
}
