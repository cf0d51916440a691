package dev.weir.cache;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Bytes in a cache that their reader holds, without a copy. The memory stays, whatever the cache
 * does, until the slice is released. It begins with one reference.
 *
 * <p>Thread-safe. Hold slices briefly: each pins the whole chunk or page that it lies in.
 */
public final class CacheSlice implements AutoCloseable {
  private static final AtomicIntegerFieldUpdater<CacheSlice> REFERENCES =
      AtomicIntegerFieldUpdater.newUpdater(CacheSlice.class, "references");

  private final SharedBlock block;
  private final MemorySegment bytes;
  private volatile int references = 1;

  CacheSlice(SharedBlock block, MemorySegment bytes) {
    this.block = block;
    this.bytes = bytes;
  }

  /**
   * The bytes, read-only. Not to be used after the release.
   *
   * @throws IllegalStateException if the slice has been released
   */
  public MemorySegment segment() {
    requireHeld();
    return bytes;
  }

  /** How many bytes it has. */
  public long byteSize() {
    return bytes.byteSize();
  }

  /**
   * A slice of this one, with a life of its own.
   *
   * @throws IndexOutOfBoundsException if it does not lie within this one
   * @throws IllegalStateException if this slice has been released
   */
  public CacheSlice slice(long offset, long length) {
    requireHeld();
    return block.sliceBeside(bytes.asSlice(offset, length));
  }

  /**
   * Adds a reference: one release more is due.
   *
   * @return this slice
   * @throws IllegalStateException if the slice has been released
   */
  public CacheSlice retain() {
    int found;
    do {
      found = references;
      if (found <= 0) {
        throw released();
      }
    } while (!REFERENCES.compareAndSet(this, found, found + 1));
    return this;
  }

  /**
   * Gives a reference back; with the last one the memory is the cache's again.
   *
   * @throws IllegalStateException if all references have been given back already
   */
  public void release() {
    int found;
    do {
      found = references;
      if (found <= 0) {
        throw released();
      }
    } while (!REFERENCES.compareAndSet(this, found, found - 1));
    if (found == 1) {
      block.unpin();
    }
  }

  /** The same as {@link #release()}. */
  @Override
  public void close() {
    release();
  }

  private void requireHeld() {
    if (references <= 0) {
      throw released();
    }
  }

  private IllegalStateException released() {
    return new IllegalStateException(
        "slice of %,d bytes of a cache has been released already".formatted(bytes.byteSize()));
  }
}
