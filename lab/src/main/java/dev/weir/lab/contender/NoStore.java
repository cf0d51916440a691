package dev.weir.lab.contender;

import dev.weir.lab.memory.LivePages;

/** No allocator: each block lies behind the last one, where nothing is. */
final class NoStore implements BlockStore {
  private long next = LivePages.PAGE_BYTES;

  @Override
  public long allocate(int slot, int bytes) {
    long address = next;
    next += bytes;
    return address;
  }

  @Override
  public long grow(int slot, int before, int bytes) {
    return allocate(slot, bytes);
  }

  @Override
  public void release(int slot) {}

  @Override
  public boolean isReal() {
    return false;
  }
}
