package dev.weir.netty.buffer;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Loads and stores in byte arrays, aligned or not, within the array's bounds. */
final class ArrayMemory {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, BIG_ENDIAN);
  private static final VarHandle SHORT_LE =
      MethodHandles.byteArrayViewVarHandle(short[].class, LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, BIG_ENDIAN);
  private static final VarHandle INT_LE =
      MethodHandles.byteArrayViewVarHandle(int[].class, LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, BIG_ENDIAN);
  private static final VarHandle LONG_LE =
      MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);

  private ArrayMemory() {}

  static short getShort(byte[] array, int at) {
    return (short) SHORT.get(array, at);
  }

  static short getShortLE(byte[] array, int at) {
    return (short) SHORT_LE.get(array, at);
  }

  static int getUnsignedMedium(byte[] array, int at) {
    return ((array[at] & 0xff) << 16) | (getShort(array, at + 1) & 0xffff);
  }

  static int getUnsignedMediumLE(byte[] array, int at) {
    return (getShortLE(array, at) & 0xffff) | ((array[at + 2] & 0xff) << 16);
  }

  static int getInt(byte[] array, int at) {
    return (int) INT.get(array, at);
  }

  static int getIntLE(byte[] array, int at) {
    return (int) INT_LE.get(array, at);
  }

  static long getLong(byte[] array, int at) {
    return (long) LONG.get(array, at);
  }

  static long getLongLE(byte[] array, int at) {
    return (long) LONG_LE.get(array, at);
  }

  static void setShort(byte[] array, int at, int value) {
    SHORT.set(array, at, (short) value);
  }

  static void setShortLE(byte[] array, int at, int value) {
    SHORT_LE.set(array, at, (short) value);
  }

  static void setMedium(byte[] array, int at, int value) {
    array[at] = (byte) (value >>> 16);
    setShort(array, at + 1, value);
  }

  static void setMediumLE(byte[] array, int at, int value) {
    setShortLE(array, at, value);
    array[at + 2] = (byte) (value >>> 16);
  }

  static void setInt(byte[] array, int at, int value) {
    INT.set(array, at, value);
  }

  static void setIntLE(byte[] array, int at, int value) {
    INT_LE.set(array, at, value);
  }

  static void setLong(byte[] array, int at, long value) {
    LONG.set(array, at, value);
  }

  static void setLongLE(byte[] array, int at, long value) {
    LONG_LE.set(array, at, value);
  }
}
