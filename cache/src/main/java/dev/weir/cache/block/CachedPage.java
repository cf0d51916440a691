package dev.weir.cache.block;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.SharedBlock;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A page that is there. The cache owns it until it {@linkplain #drop drops} it, once. Thread-safe.
 */
final class CachedPage {
  final PageKey key;

  /** What it charges. */
  final long chargedBytes;

  private final SharedBlock shared;
  private final MemorySegment bytes;

  /** Whom it was fetched ahead for, until it is read; null for others. Under the cache's lock. */
  @Nullable BlockReader aheadFor;

  /** When it is dropped, if it has not been read by then. */
  long deadlineNanos;

  CachedPage(PageKey key, SharedBlock shared, MemorySegment bytes, long chargedBytes) {
    this.key = key;
    this.shared = shared;
    this.bytes = bytes;
    this.chargedBytes = chargedBytes;
  }

  /** Null if the cache has dropped it meanwhile. */
  @Nullable CacheSlice trySlice(long offset, long length) {
    return shared.trySlice(bytes.asSlice(offset, length));
  }

  /** Whether a reader holds a slice. */
  boolean isHeld() {
    return shared.isPinned();
  }

  void drop() {
    shared.drop();
  }
}
