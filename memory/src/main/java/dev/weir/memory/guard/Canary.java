package dev.weir.memory.guard;

import dev.weir.memory.os.AddressSpace;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A pattern that is written to memory which nobody may write, and looked for later. It repeats
 * every eight bytes, and no two of these are the same or zero.
 */
final class Canary {
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

  /** In front of a block and behind its end. */
  static final Canary BESIDE = new Canary(0xC5_3A_97_1E_B8_64_D1_4BL);

  /** In a block that has been released: as a pointer it is no address of a process. */
  static final Canary RELEASED = new Canary(0xDE_AD_F1_7C_E9_56_B3_0DL);

  private final long pattern;

  private Canary(long pattern) {
    this.pattern = pattern;
  }

  /** Writes it from {@code address} to {@code end}. */
  void write(long address, long end) {
    MemorySegment memory = AddressSpace.ALL;
    long at = address;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      memory.set(WORD, at, pattern);
    }
    for (; at < end; at++) {
      memory.set(ValueLayout.JAVA_BYTE, at, byteAt(at - address));
    }
  }

  /**
   * Looks for it.
   *
   * @return the address of the first byte that is another, {@code end} if there is none
   */
  long firstDamaged(long address, long end) {
    MemorySegment memory = AddressSpace.ALL;
    long at = address;
    while (at <= end - Long.BYTES && memory.get(WORD, at) == pattern) {
      at += Long.BYTES;
    }
    while (at < end && memory.get(ValueLayout.JAVA_BYTE, at) == byteAt(at - address)) {
      at++;
    }
    return at;
  }

  private byte byteAt(long offset) {
    int position = (int) offset & (Long.BYTES - 1);
    boolean littleEndian = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN;
    return (byte) (pattern >>> (Byte.SIZE * (littleEndian ? position : Long.BYTES - 1 - position)));
  }
}
