package dev.weir.streams;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Builds a record: big-endian numbers, and strings with a length before them. For one thread. */
final class RecordWriter {
  private byte[] bytes = new byte[512];
  private ByteBuffer view = ByteBuffer.wrap(bytes);

  RecordWriter clear() {
    view.clear();
    return this;
  }

  /** What was written since {@link #clear}; valid until the next write. */
  ByteBuffer contents() {
    return ByteBuffer.wrap(bytes, 0, view.position());
  }

  RecordWriter putByte(int value) {
    room(1).put((byte) value);
    return this;
  }

  RecordWriter putBoolean(boolean value) {
    return putByte(value ? 1 : 0);
  }

  RecordWriter putInt(int value) {
    room(Integer.BYTES).putInt(value);
    return this;
  }

  RecordWriter putLong(long value) {
    room(Long.BYTES).putLong(value);
    return this;
  }

  /** A null string is kept apart from an empty one. */
  RecordWriter putString(@Nullable String value) {
    if (value == null) {
      return putInt(-1);
    }
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    putInt(utf8.length);
    room(utf8.length).put(utf8);
    return this;
  }

  private ByteBuffer room(int more) {
    if (view.remaining() < more) {
      int position = view.position();
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, position + more));
      view = ByteBuffer.wrap(bytes);
      view.position(position);
    }
    return view;
  }
}
