package dev.weir.cache.block;

/**
 * There is no room for a page, though everything that nobody holds was given up. Readers hold the
 * rest, or the pool has none: release slices, and try again.
 */
public final class BlockCacheFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BlockCacheFullException(String message) {
    super(message);
  }
}
