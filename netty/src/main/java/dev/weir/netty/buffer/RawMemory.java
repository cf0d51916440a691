package dev.weir.netty.buffer;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.weir.memory.os.AddressSpace;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Loads and stores at native addresses, aligned or not. No address is checked: the caller owns the
 * bytes behind it and has checked its index.
 */
final class RawMemory {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(BIG_ENDIAN);
  private static final ValueLayout.OfShort SHORT_LE =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN);
  private static final ValueLayout.OfInt INT_LE =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN);
  private static final ValueLayout.OfLong LONG_LE =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);

  private RawMemory() {}

  static byte getByte(long address) {
    return AddressSpace.ALL.get(BYTE, address);
  }

  static short getShort(long address) {
    return AddressSpace.ALL.get(SHORT, address);
  }

  static short getShortLE(long address) {
    return AddressSpace.ALL.get(SHORT_LE, address);
  }

  static int getUnsignedMedium(long address) {
    return ((getByte(address) & 0xff) << 16) | (getShort(address + 1) & 0xffff);
  }

  static int getUnsignedMediumLE(long address) {
    return (getShortLE(address) & 0xffff) | ((getByte(address + 2) & 0xff) << 16);
  }

  static int getInt(long address) {
    return AddressSpace.ALL.get(INT, address);
  }

  static int getIntLE(long address) {
    return AddressSpace.ALL.get(INT_LE, address);
  }

  static long getLong(long address) {
    return AddressSpace.ALL.get(LONG, address);
  }

  static long getLongLE(long address) {
    return AddressSpace.ALL.get(LONG_LE, address);
  }

  static void setByte(long address, int value) {
    AddressSpace.ALL.set(BYTE, address, (byte) value);
  }

  static void setShort(long address, int value) {
    AddressSpace.ALL.set(SHORT, address, (short) value);
  }

  static void setShortLE(long address, int value) {
    AddressSpace.ALL.set(SHORT_LE, address, (short) value);
  }

  static void setMedium(long address, int value) {
    setByte(address, value >>> 16);
    setShort(address + 1, value);
  }

  static void setMediumLE(long address, int value) {
    setShortLE(address, value);
    setByte(address + 2, value >>> 16);
  }

  static void setInt(long address, int value) {
    AddressSpace.ALL.set(INT, address, value);
  }

  static void setIntLE(long address, int value) {
    AddressSpace.ALL.set(INT_LE, address, value);
  }

  static void setLong(long address, long value) {
    AddressSpace.ALL.set(LONG, address, value);
  }

  static void setLongLE(long address, long value) {
    AddressSpace.ALL.set(LONG_LE, address, value);
  }

  static void setZero(long address, int bytes) {
    AddressSpace.ALL.asSlice(address, bytes).fill((byte) 0);
  }

  /** Copies {@code bytes} from one address to another; the ranges may overlap. */
  static void copy(long from, long to, int bytes) {
    MemorySegment.copy(AddressSpace.ALL, from, AddressSpace.ALL, to, bytes);
  }

  static void copy(long from, byte[] to, int toIndex, int bytes) {
    MemorySegment.copy(AddressSpace.ALL, BYTE, from, to, toIndex, bytes);
  }

  static void copy(byte[] from, int fromIndex, long to, int bytes) {
    MemorySegment.copy(from, fromIndex, AddressSpace.ALL, BYTE, to, bytes);
  }
}
