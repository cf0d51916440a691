package dev.weir.server.http;

import dev.weir.streams.protocol.Offset;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The query of a read.
 *
 * @param offset the token, checked; null when left out
 * @param position what it stands for in bytes, 0 for the start; unused when {@code fromTail}
 * @param fromTail whether the token is {@code now}
 */
record ReadQuery(
    @Nullable String offset, long position, boolean fromTail, Live live, @Nullable String cursor) {
  private static final int MAX_PARAMETERS = 64;

  /** How a read goes on when it has reached the tail. */
  enum Live {
    NO,
    LONG_POLL,
    SSE
  }

  static ReadQuery parse(String uri) throws ProtocolException {
    Map<String, List<String>> parameters;
    try {
      parameters =
          new QueryStringDecoder(uri, StandardCharsets.UTF_8, /* hasPath= */ true, MAX_PARAMETERS)
              .parameters();
    } catch (IllegalArgumentException e) {
      throw ProtocolException.badRequest("the query has a broken percent escape");
    }
    String offset = single(parameters, "offset");
    Live live = live(single(parameters, "live"));
    if (live != Live.NO && offset == null) {
      throw ProtocolException.badRequest(
          "live reads need an offset: -1, now, or a Stream-Next-Offset");
    }
    boolean fromTail = Offset.NOW.equals(offset);
    boolean fromStart = offset == null || offset.equals(Offset.START);
    long position = fromStart || fromTail || offset == null ? 0 : Offset.parse(offset);
    return new ReadQuery(offset, position, fromTail, live, single(parameters, "cursor"));
  }

  private static @Nullable String single(Map<String, List<String>> parameters, String name)
      throws ProtocolException {
    List<String> values = parameters.getOrDefault(name, List.of());
    if (values.size() > 1) {
      throw ProtocolException.badRequest("the parameter " + name + " is given more than once");
    }
    return values.isEmpty() ? null : values.getFirst();
  }

  private static Live live(@Nullable String value) throws ProtocolException {
    return switch (value) {
      case null -> Live.NO;
      case "long-poll" -> Live.LONG_POLL;
      case "sse" -> Live.SSE;
      default -> throw ProtocolException.badRequest("the parameter live must be long-poll or sse");
    };
  }
}
