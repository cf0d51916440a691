package dev.weir.streams;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link RecordWriter} wrote. Records come here only after their checksum held, so a
 * record that is too short is a defect: {@link BufferUnderflowException}.
 */
record RecordReader(ByteBuffer source) {
  int getByte() {
    return source.get();
  }

  boolean getBoolean() {
    return source.get() != 0;
  }

  int getInt() {
    return source.getInt();
  }

  long getLong() {
    return source.getLong();
  }

  String getString() {
    String value = getNullableString();
    if (value == null) {
      throw new IllegalStateException("a record lacks a string that it must have");
    }
    return value;
  }

  @Nullable String getNullableString() {
    int length = source.getInt();
    if (length < 0) {
      return null;
    }
    if (length > source.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] utf8 = new byte[length];
    source.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
