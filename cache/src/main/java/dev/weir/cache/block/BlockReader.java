package dev.weir.cache.block;

import dev.weir.cache.CacheSlice;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of an object through a {@link BlockCache}, and has pages fetched ahead as long as
 * it goes forward page by page. One thread at a time; close it, so that what is under way ahead of
 * it is cancelled.
 */
public final class BlockReader implements AutoCloseable {
  private final BlockCache cache;
  private final BlockObject object;
  private final long endOffset;
  private final ReadaheadWindow window = new ReadaheadWindow();
  private volatile boolean closed;

  /** The page that it reads now: further pieces of it need no lock. */
  private volatile @Nullable CachedPage current;

  BlockReader(BlockCache cache, BlockObject object, long endOffset) {
    this.cache = cache;
    this.object = object;
    this.endOffset = endOffset;
  }

  /**
   * Reads what one page has from an offset on.
   *
   * @param offset below the end of the range
   * @param maxBytes at least 1; the slice may be shorter, as it ends with the page and the range
   * @return the slice, for the caller to release; fails as {@link BlockCache#read}
   */
  public CompletableFuture<CacheSlice> read(long offset, int maxBytes) {
    if (closed) {
      throw new IllegalStateException("reader of '" + object.name() + "' is closed");
    }
    if (offset < 0 || offset >= endOffset) {
      throw new IndexOutOfBoundsException(
          "offset %,d of '%s' is not below the end of the range, %,d"
              .formatted(offset, object.name(), endOffset));
    }
    return cache.read(object, offset, (int) Math.min(maxBytes, endOffset - offset), this);
  }

  /** A further piece of the page that was delivered last; null for another, or if it has left. */
  @Nullable CacheSlice tryReadCurrent(PageKey key, long offset, long length) {
    CachedPage page = current;
    return page == null || !page.key.equals(key) ? null : page.trySlice(offset, length);
  }

  /** It has got a piece of a page. Under the cache's lock. */
  void delivered(CachedPage page, long nowNanos) {
    current = page;
    window.delivered(nowNanos);
  }

  BlockObject object() {
    return object;
  }

  long endOffset() {
    return endOffset;
  }

  ReadaheadWindow window() {
    return window;
  }

  /** Ends it. Slices, and reads under way, are not concerned. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      current = null;
      cache.cancelAhead(this);
    }
  }
}
