package dev.weir.lab.contender;

import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Blocks from a C library's {@code malloc}. It counts nothing; the kernel has to be asked. It has
 * no limit either: what is live is held to one here.
 */
final class MallocStore implements BlockStore {
  private final MethodHandle malloc;
  private final MethodHandle free;
  private final MethodHandle realloc;
  private final long limitBytes;
  private long[] addresses = new long[64];
  private int[] sizes = new int[64];
  private long liveBytes;

  /** Blocks of {@code limitBytes} in all. */
  MallocStore(MallocLibrary.Functions functions, long limitBytes) {
    this.limitBytes = limitBytes;
    this.malloc = functions.malloc();
    this.free = functions.free();
    this.realloc = functions.realloc();
  }

  @Override
  public long allocate(int slot, int bytes) {
    if (slot >= addresses.length) {
      addresses = Arrays.copyOf(addresses, Math.max(slot + 1, addresses.length * 2));
      sizes = Arrays.copyOf(sizes, addresses.length);
    }
    if (bytes > limitBytes - liveBytes) {
      return REFUSED;
    }
    try {
      long address = (long) malloc.invokeExact((long) bytes);
      if (address != REFUSED) {
        addresses[slot] = address;
        sizes[slot] = bytes;
        liveBytes += bytes;
      }
      return address;
    } catch (Throwable e) {
      throw new IllegalStateException("malloc", e);
    }
  }

  @Override
  public long grow(int slot, int before, int bytes) {
    if (bytes - before > limitBytes - liveBytes) {
      return REFUSED;
    }
    try {
      long address = (long) realloc.invokeExact(addresses[slot], (long) bytes);
      if (address != REFUSED) {
        addresses[slot] = address;
        sizes[slot] = bytes;
        liveBytes += bytes - before;
      }
      return address;
    } catch (Throwable e) {
      throw new IllegalStateException("realloc", e);
    }
  }

  @Override
  public void release(int slot) {
    try {
      free.invokeExact(addresses[slot]);
    } catch (Throwable e) {
      throw new IllegalStateException("free", e);
    }
    addresses[slot] = 0;
    liveBytes -= sizes[slot];
  }
}
