package dev.weir.cache.block;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The pages that have been read, and which of them go first: Caffeine's policy, which withstands
 * scans. Every page that leaves is dropped, on the thread that made it leave. Thread-safe.
 *
 * <p>Lock order: the cache's lock, then Caffeine's. What happens under Caffeine's takes no lock.
 */
final class PagePolicy {
  private final Cache<PageKey, CachedPage> pages;
  private final Policy.Eviction<PageKey, CachedPage> eviction;
  private final AtomicLong evicted = new AtomicLong();
  private final AtomicLong cached = new AtomicLong();

  PagePolicy(long maxBytes) {
    this.pages =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(maxBytes)
            .weigher((PageKey key, CachedPage page) -> (int) page.chargedBytes)
            .removalListener(
                (@Nullable PageKey key, @Nullable CachedPage page, RemovalCause cause) ->
                    left(page))
            .build();
    this.eviction = pages.policy().eviction().orElseThrow();
  }

  private void left(@Nullable CachedPage page) {
    if (page != null) {
      cached.addAndGet(-page.chargedBytes);
      evicted.addAndGet(page.chargedBytes);
      page.drop();
    }
  }

  /** A page that is there; the policy takes note of that. */
  @Nullable CachedPage get(PageKey key) {
    return pages.getIfPresent(key);
  }

  /** Whether it is there; the policy does not hear of that. */
  boolean has(PageKey key) {
    return pages.asMap().containsKey(key);
  }

  /** Adds a page, which may leave at once if others are worth more. */
  void put(CachedPage page) {
    cached.addAndGet(page.chargedBytes);
    pages.put(page.key, page);
  }

  /** Changes the most that it keeps; what is more leaves now. */
  void setMaxBytes(long bytes) {
    if (eviction.getMaximum() != bytes) {
      eviction.setMaximum(bytes);
    }
    pages.cleanUp();
  }

  /** Has at least so many bytes leave, as far as there are so many; keeps the lower maximum. */
  boolean evict(long bytes) {
    long before = cached.get();
    if (before == 0) {
      return false;
    }
    eviction.setMaximum(Math.max(0, before - bytes));
    pages.cleanUp();
    return cached.get() < before;
  }

  long cachedBytes() {
    return cached.get();
  }

  /** The same, page by page. */
  long walkedBytes() {
    pages.cleanUp();
    return pages.asMap().values().stream().mapToLong(page -> page.chargedBytes).sum();
  }

  long evictedBytes() {
    return evicted.get();
  }

  void clear() {
    pages.invalidateAll();
    pages.cleanUp();
  }
}
