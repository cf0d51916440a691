package dev.weir.netty.buffer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Arrays of released heap buffers, kept for the next buffer of the same length.
 *
 * <p>It pays for large ones only: a collector places them apart, and zeroing them costs more than
 * finding them here. At most {@value #MAX_ARRAYS} arrays of {@value #MAX_ARRAY_BYTES} bytes are
 * kept; a further one replaces the one that was kept longest. The contents of a reused array are
 * whatever its last user left. Safe for any thread, and never waits.
 */
public final class HeapArrays {
  /**
   * A new array of fewer bytes comes from the thread's allocation buffer, and costs about as much
   * as a look here.
   */
  private static final int MIN_ARRAY_BYTES = 16 << 10;

  private static final int MAX_ARRAY_BYTES = 1 << 20;
  private static final int MAX_ARRAYS = 16;

  private final AtomicReferenceArray<byte @Nullable []> kept =
      new AtomicReferenceArray<>(MAX_ARRAYS);
  private final AtomicInteger oldest = new AtomicInteger();

  /** An array of exactly {@code bytes}. */
  byte[] take(int bytes) {
    if (isKept(bytes)) {
      for (int i = 0; i < MAX_ARRAYS; i++) {
        byte[] array = kept.get(i);
        if (array != null && array.length == bytes && kept.compareAndSet(i, array, null)) {
          return array;
        }
      }
    }
    return new byte[bytes];
  }

  /** Keeps an array that nobody uses any more. */
  void give(byte[] array) {
    if (!isKept(array.length)) {
      return;
    }
    for (int i = 0; i < MAX_ARRAYS; i++) {
      if (kept.get(i) == null && kept.compareAndSet(i, null, array)) {
        return;
      }
    }
    kept.set(oldest.getAndIncrement() & MAX_ARRAYS - 1, array);
  }

  /** Drops every array that is kept. */
  public void clear() {
    for (int i = 0; i < MAX_ARRAYS; i++) {
      kept.set(i, null);
    }
  }

  private static boolean isKept(int bytes) {
    return bytes >= MIN_ARRAY_BYTES && bytes <= MAX_ARRAY_BYTES;
  }
}
