package dev.weir.server.http;

import dev.weir.server.protocol.JsonMessageCounter;
import dev.weir.server.protocol.ProtocolException;
import dev.weir.server.store.CreateRequest;
import dev.weir.server.store.RangeReader;
import dev.weir.server.store.Stream;
import dev.weir.server.store.StreamState;
import dev.weir.server.store.StreamStore;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Turns an offset and a sub-offset of a source stream into the byte where a fork begins. */
final class ForkPoints {
  private static final int PIECE_BYTES = 64 << 10;

  private ForkPoints() {}

  /**
   * Resolves the point; blocks on the disk. A source that is missing is left to the store to
   * report.
   */
  static CreateRequest resolve(
      StreamStore store, CreateRequest request, CreateRequest.ForkRequest fork)
      throws IOException, ProtocolException {
    Stream source = store.find(fork.sourcePath());
    if (source == null || source.state().softDeleted()) {
      return request;
    }
    StreamState state = source.state();
    boolean atTail = fork.anchorOffset() == CreateRequest.ForkRequest.TAIL;
    long anchor = atTail ? state.tailOffset() : fork.anchorOffset();
    long point = anchor;
    if (fork.subOffset() > 0) {
      long available = state.tailOffset() - anchor;
      if (available <= 0 || (!state.config().isJson() && fork.subOffset() > available)) {
        throw pastTheEnd();
      }
      point =
          state.config().isJson()
              ? afterMessages(store, state, anchor, fork)
              : anchor + fork.subOffset();
    }
    return new CreateRequest(
        request.path(),
        request.contentType(),
        request.ttlSeconds(),
        request.expiresAt(),
        request.expiresAtMillis(),
        request.closed(),
        new CreateRequest.ForkRequest(
            fork.sourcePath(), fork.anchorOffset(), fork.subOffset(), point));
  }

  private static long afterMessages(
      StreamStore store, StreamState state, long anchor, CreateRequest.ForkRequest fork)
      throws IOException, ProtocolException {
    JsonMessageCounter counter = new JsonMessageCounter(fork.subOffset());
    ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    try (RangeReader reader = store.read(state, anchor, state.tailOffset())) {
      while (reader.remaining() > 0) {
        reader.read(piece.clear());
        if (counter.feed(piece.flip())) {
          return anchor + counter.bytes();
        }
      }
    }
    throw pastTheEnd();
  }

  private static ProtocolException pastTheEnd() {
    return ProtocolException.badRequest(
        "Stream-Fork-Sub-Offset lies after the end of the source stream");
  }
}
