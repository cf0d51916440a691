package dev.weir.memory.profile;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A message in the wire format of Protocol Buffers: fields, each a number and a type in one varint,
 * and a value. Fields that are zero are left out, as proto3 has it.
 */
final class ProtoBytes {
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;
  private static final int GROUP_BITS = 7;
  private static final long GROUP_MASK = (1 << GROUP_BITS) - 1;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** A field of type int64, uint64 or bool. */
  ProtoBytes number(int field, long value) {
    if (value != 0) {
      tag(field, VARINT);
      varint(value);
    }
    return this;
  }

  /** A repeated field of numbers, packed. */
  ProtoBytes numbers(int field, long... values) {
    ProtoBytes packed = new ProtoBytes();
    for (long value : values) {
      packed.varint(value);
    }
    return message(field, packed);
  }

  /** An element of a repeated field of strings; an empty one is written too. */
  ProtoBytes text(int field, String value) {
    delimited(field, value.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /** A message inside this one. */
  ProtoBytes message(int field, ProtoBytes message) {
    delimited(field, message.toByteArray());
    return this;
  }

  byte[] toByteArray() {
    return bytes.toByteArray();
  }

  private void delimited(int field, byte[] content) {
    tag(field, LENGTH_DELIMITED);
    varint(content.length);
    bytes.writeBytes(content);
  }

  private void tag(int field, int type) {
    varint((long) field << 3 | type);
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~GROUP_MASK) != 0) {
      bytes.write((int) ((rest & GROUP_MASK) | (GROUP_MASK + 1)));
      rest >>>= GROUP_BITS;
    }
    bytes.write((int) rest);
  }
}
