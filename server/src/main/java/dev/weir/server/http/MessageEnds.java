package dev.weir.server.http;

import dev.weir.streams.RangeReader;
import dev.weir.streams.StreamState;
import dev.weir.streams.StreamStore;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Whether an offset of a stream lies between two messages, as all do that the node has given out:
 * those of bytes always do, those of JSON lie after the comma that ends a message.
 */
final class MessageEnds {
  private MessageEnds() {}

  /** Whether that is known without reading. */
  static boolean isKnown(StreamState state, long offset) {
    return !state.config().isJson()
        || offset == state.tailOffset()
        || offset == 0
        || offset == state.ownOffset();
  }

  /**
   * Whether a message may end there, as far as the byte before tells: a comma within a message
   * looks the same. Blocks on the disk.
   */
  static boolean mayBeAt(StreamStore store, StreamState state, long offset) throws IOException {
    ByteBuffer before = ByteBuffer.allocate(1);
    try (RangeReader reader = store.read(state, offset - 1, offset)) {
      reader.read(before);
    }
    return isEnd(before.get(0));
  }

  /** Whether a message may end with a byte. */
  static boolean isEnd(byte last) {
    return last == ',';
  }
}
