package dev.weir.server.http;

import dev.weir.streams.StreamState;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;

/**
 * Entity tags: the stream's number, the range, and whether it ends a closed stream. A store that
 * was taken over, or has lost its WAL, may have other bytes at the same offsets: its epoch is part
 * of the tag then.
 */
final class EntityTag {
  private EntityTag() {}

  static String of(StreamState state, long epoch, long fromOffset, long endOffset) {
    boolean ended = state.closed() && endOffset == state.tailOffset();
    return "\""
        + Long.toHexString(state.streamId())
        + (epoch > 1 ? "." + Long.toHexString(epoch) : "")
        + ":"
        + fromOffset
        + ":"
        + endOffset
        + (ended ? ":c" : "")
        + "\"";
  }

  /** Whether a client has what it asks for: its {@code If-None-Match} names the tag. */
  static boolean isKnown(HttpRequest request, String tag) {
    for (String line : request.headers().getAll(HttpHeaderNames.IF_NONE_MATCH)) {
      for (String candidate : line.split(",", -1)) {
        String trimmed = candidate.trim();
        if (trimmed.equals("*") || trimmed.equals(tag) || trimmed.equals("W/" + tag)) {
          return true;
        }
      }
    }
    return false;
  }
}
