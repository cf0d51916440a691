package dev.weir.lab.contender;

import dev.weir.lab.memory.LivePages;
import java.util.OptionalLong;

/**
 * What an allocator would hold that places each block behind the last one, never uses an address
 * again, and gives a page back the moment nothing on it lives. Reckoned, not allocated.
 */
final class SequentialStore implements BlockStore {
  private static final long ALIGNMENT_BYTES = 16;

  private final LivePages pages;
  private long next = LivePages.PAGE_BYTES;

  SequentialStore(LivePages pages) {
    this.pages = pages;
  }

  @Override
  public long allocate(int slot, int bytes) {
    long address = next;
    next += Math.ceilDiv(bytes, ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    return address;
  }

  @Override
  public long grow(int slot, int before, int bytes) {
    return allocate(slot, bytes);
  }

  @Override
  public void release(int slot) {
    // The caller takes the block out of the live pages, which is all there is to do.
  }

  @Override
  public boolean isReal() {
    return false;
  }

  @Override
  public OptionalLong residentBytes() {
    return OptionalLong.of(pages.bytes());
  }
}
