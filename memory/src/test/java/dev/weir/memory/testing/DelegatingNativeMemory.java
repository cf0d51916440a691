package dev.weir.memory.testing;

import dev.weir.memory.os.NativeMemory;

/**
 * Native memory that passes every call on: a test overrides what it changes or watches. Ranges that
 * are purged together come to {@link #purge(long, long)} one by one, so nothing passes by it.
 */
public abstract class DelegatingNativeMemory implements NativeMemory {
  private final NativeMemory os;

  /** Passes calls on to this memory. */
  protected DelegatingNativeMemory(NativeMemory os) {
    this.os = os;
  }

  @Override
  public int pageBytes() {
    return os.pageBytes();
  }

  @Override
  public boolean canPurge() {
    return os.canPurge();
  }

  @Override
  public long freeAddressBytes() {
    return os.freeAddressBytes();
  }

  @Override
  public long reserve(long bytes) {
    return os.reserve(bytes);
  }

  @Override
  public void purge(long address, long bytes) {
    os.purge(address, bytes);
  }

  @Override
  public boolean tryMove(long from, long to, long bytes) {
    return os.tryMove(from, to, bytes);
  }

  @Override
  public void copy(long from, long to, long bytes) {
    os.copy(from, to, bytes);
  }

  @Override
  public void release(long address, long bytes) {
    os.release(address, bytes);
  }
}
