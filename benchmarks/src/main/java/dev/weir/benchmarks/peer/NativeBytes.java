package dev.weir.benchmarks.peer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Plain stores at native addresses that the caller owns. */
final class NativeBytes {
  @SuppressWarnings("restricted") // The addresses come from the C library itself.
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final int CACHE_LINE_BYTES = 64;

  private NativeBytes() {}

  /** Writes one byte in each page of {@code bytes} from {@code address} on. */
  static void touch(long address, int bytes) {
    for (int at = 0; at < bytes; at += Buffers.PAGE_BYTES) {
      ALL.set(ValueLayout.JAVA_BYTE, address + at, (byte) 1);
    }
  }

  /**
   * Writes {@code bytes} from {@code address} on, and returns the sum of a byte of each cache line.
   */
  static int write(long address, int bytes, byte value) {
    ALL.asSlice(address, bytes).fill(value);
    int sum = 0;
    for (int at = 0; at < bytes; at += CACHE_LINE_BYTES) {
      sum += ALL.get(ValueLayout.JAVA_BYTE, address + at);
    }
    return sum;
  }

  /** Copies all of {@code chunk} to {@code address}. */
  static void copy(byte[] chunk, long address) {
    MemorySegment.copy(chunk, 0, ALL, ValueLayout.JAVA_BYTE, address, chunk.length);
  }
}
