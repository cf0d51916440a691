package dev.weir.memory.os;

import java.lang.invoke.MethodHandle;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The fallback for systems without an implementation of their own: the C library's {@code malloc},
 * whose large blocks become resident page by page as they are touched. It cannot give pages back,
 * so memory is bounded but not returned before the pool is closed.
 */
final class PortableNativeMemory implements NativeMemory {
  private static final int PAGE_BYTES = 16 * 1024;

  private static final MethodHandle MALLOC = CFunction.MALLOC.link();
  private static final MethodHandle FREE = CFunction.FREE.link();

  /** Page-aligned address handed out → what {@code malloc} returned. */
  private final ConcurrentHashMap<Long, Long> mallocAddresses = new ConcurrentHashMap<>();

  @Override
  public int pageBytes() {
    return PAGE_BYTES;
  }

  @Override
  public boolean canPurge() {
    return false;
  }

  @Override
  public long reserve(long bytes) {
    long raw;
    try {
      raw = (long) MALLOC.invokeExact(Math.addExact(bytes, PAGE_BYTES));
    } catch (Throwable e) {
      throw new IllegalStateException("malloc could not be called", e);
    }
    if (raw == 0) {
      throw new ReservationFailedError(
          "cannot reserve %,d bytes: malloc refused. Lower the pool's limit or give the process more memory."
              .formatted(bytes));
    }
    long address = (raw + PAGE_BYTES - 1) & -PAGE_BYTES;
    boolean known = false;
    try {
      mallocAddresses.put(address, raw);
      known = true;
      return address;
    } finally {
      if (!known) {
        free(raw); // The Java heap is full: nobody else would.
      }
    }
  }

  @Override
  public void purge(long address, long bytes) {
    // The C library keeps what was touched until the whole block is freed.
  }

  @Override
  public void release(long address, long bytes) {
    Long raw = mallocAddresses.remove(address);
    if (raw == null) {
      throw new NativeMemoryException(
          "0x%x is not a reservation of this process".formatted(address));
    }
    free(raw);
  }

  private static void free(long raw) {
    try {
      FREE.invokeExact(raw);
    } catch (Throwable e) {
      throw new IllegalStateException("free could not be called", e);
    }
  }
}
