package dev.weir.streams;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The frame at the start of each batch in a journal. It is written when the batches before are
 * durable, and says where: a mark that is found in its place proves that all before it was.
 *
 * <pre>
 * body: 0 (no mutation's type), the frame's position in the file, the journal's key
 * </pre>
 *
 * @param key a number of the journal that nobody else knows, so that no client's bytes are a mark
 */
record SyncMark(long key) {
  static final int BODY_BYTES = 1 + 2 * Long.BYTES;

  private static final int TYPE = 0;
  private static final SecureRandom KEYS = new SecureRandom();

  /** For a new journal. */
  static SyncMark create() {
    return new SyncMark(KEYS.nextLong());
  }

  /** The body of the mark at {@code position}. */
  ByteBuffer at(long position) {
    return new RecordWriter().putByte(TYPE).putLong(position).putLong(key).contents();
  }

  /** Whether a whole frame at {@code position} is a mark. */
  boolean isAt(long position, ByteBuffer body) {
    return body.remaining() == BODY_BYTES && isBodyAt(body.position(), body, position);
  }

  /** Whether a mark's frame begins at an index of the bytes that a file has from a position on. */
  boolean isAt(int index, ByteBuffer bytes, long fromPosition) {
    return bytes.limit() - index >= FrameLayout.HEADER_BYTES + BODY_BYTES
        && bytes.getInt(index) == BODY_BYTES
        && isBodyAt(index + FrameLayout.HEADER_BYTES, bytes, fromPosition + index);
  }

  /** For each frame of a start, and each byte of a torn end: in place. */
  private boolean isBodyAt(int index, ByteBuffer bytes, long position) {
    return bytes.get(index) == TYPE
        && bytes.getLong(index + 1) == position
        && bytes.getLong(index + 1 + Long.BYTES) == key;
  }
}
