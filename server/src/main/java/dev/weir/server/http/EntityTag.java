package dev.weir.server.http;

import dev.weir.server.store.StreamState;

/** Entity tags: the stream's number, the range, and whether it ends a closed stream. */
final class EntityTag {
  private EntityTag() {}

  static String of(StreamState state, long fromOffset, long endOffset) {
    boolean ended = state.closed() && endOffset == state.tailOffset();
    return "\""
        + Long.toHexString(state.streamId())
        + ":"
        + fromOffset
        + ":"
        + endOffset
        + (ended ? ":c" : "")
        + "\"";
  }

  /** Whether an {@code If-None-Match} header names the tag, alone or in a list. */
  static boolean matches(String ifNoneMatch, String tag) {
    for (String candidate : ifNoneMatch.split(",", -1)) {
      String trimmed = candidate.trim();
      if (trimmed.equals("*") || trimmed.equals(tag) || trimmed.equals("W/" + tag)) {
        return true;
      }
    }
    return false;
  }
}
