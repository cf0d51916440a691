package dev.weir.lab.contender;

import dev.weir.lab.memory.AddressRange;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/** Blocks from a C library's {@code malloc}. It counts nothing; the kernel has to be asked. */
final class MallocStore implements BlockStore {
  private final MethodHandle malloc;
  private final MethodHandle free;
  private long[] addresses = new long[64];

  MallocStore(MallocLibrary.Functions functions) {
    this.malloc = functions.malloc();
    this.free = functions.free();
  }

  @Override
  public long allocate(int slot, int bytes) {
    if (slot >= addresses.length) {
      addresses = Arrays.copyOf(addresses, Math.max(slot + 1, addresses.length * 2));
    }
    try {
      long address = (long) malloc.invokeExact((long) bytes);
      addresses[slot] = address;
      return address;
    } catch (Throwable e) {
      throw new IllegalStateException("malloc", e);
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
  }

  @Override
  public OptionalLong residentBytes() {
    return OptionalLong.empty();
  }

  @Override
  public OptionalLong peakResidentBytes() {
    return OptionalLong.empty();
  }

  @Override
  public Optional<AddressRange> addresses() {
    return Optional.empty();
  }
}
