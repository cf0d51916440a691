package dev.weir.streams.layout;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds the bytes of a stored object. Fixed numbers are big-endian. A varint has seven bits a
 * byte, the lowest first, and holds numbers from 0 on. For one thread.
 */
public final class Encoder {
  private byte[] bytes = new byte[256];
  private int size;

  /** How many bytes were put so far. */
  public int size() {
    return size;
  }

  /** A byte. */
  public Encoder putByte(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
    return this;
  }

  /** One byte: 1 or 0. */
  public Encoder putBoolean(boolean value) {
    return putByte(value ? 1 : 0);
  }

  /** Four bytes. */
  public Encoder putInt(int value) {
    reserve(Integer.BYTES);
    ByteBuffer.wrap(bytes).putInt(size, value);
    size += Integer.BYTES;
    return this;
  }

  /** Eight bytes. */
  public Encoder putLong(long value) {
    reserve(Long.BYTES);
    ByteBuffer.wrap(bytes).putLong(size, value);
    size += Long.BYTES;
    return this;
  }

  /** One to nine bytes for a number from 0 on. */
  public Encoder putVarint(long value) {
    if (value < 0) {
      throw new IllegalArgumentException("no varint: " + value);
    }
    reserve(9);
    long rest = value;
    while (rest > 0x7f) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
    return this;
  }

  /** A number from -1 on. */
  public Encoder putVarintFromMinusOne(long value) {
    return putVarint(value + 1);
  }

  /** Sixteen bytes. */
  public Encoder putUuid(UUID value) {
    return putLong(value.getMostSignificantBits()).putLong(value.getLeastSignificantBits());
  }

  /** UTF-8 behind its length; null is kept apart from an empty string. */
  public Encoder putString(@Nullable String value) {
    if (value == null) {
      return putVarint(0);
    }
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    putVarint(utf8.length + 1L);
    return putBytes(utf8);
  }

  /** Bytes as they are, without a length. */
  public Encoder putBytes(byte[] value) {
    reserve(value.length);
    System.arraycopy(value, 0, bytes, size, value.length);
    size += value.length;
    return this;
  }

  /** A copy of what was put. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, Math.addExact(size, more)));
    }
  }
}
