package dev.weir.cache.block;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Pages that were fetched ahead and not read yet, oldest first. The eviction policy does not know
 * them: to it, they would be pages that nobody uses. Under the cache's lock.
 */
final class AheadPages {
  private final Map<PageKey, CachedPage> pages = new LinkedHashMap<>();
  private long bytes;
  private long unreadBytes;

  long bytes() {
    return bytes;
  }

  /** Of all that were dropped unread. */
  long unreadBytes() {
    return unreadBytes;
  }

  boolean isEmpty() {
    return pages.isEmpty();
  }

  boolean has(PageKey key) {
    return pages.containsKey(key);
  }

  void add(CachedPage page) {
    pages.put(page.key, page);
    bytes += page.chargedBytes;
  }

  /** Takes a page out, to be read. */
  @Nullable CachedPage take(PageKey key) {
    CachedPage page = pages.remove(key);
    if (page != null) {
      bytes -= page.chargedBytes;
    }
    return page;
  }

  /** Drops the pages whose time is over. */
  void expire(long nowNanos) {
    while (!pages.isEmpty() && pages.values().iterator().next().deadlineNanos - nowNanos <= 0) {
      dropOldest();
    }
  }

  /** When the oldest is to be dropped; there must be one. */
  long nextDeadlineNanos() {
    return pages.values().iterator().next().deadlineNanos;
  }

  /** Drops the oldest page unread, and tells its reader's window. */
  boolean dropOldest() {
    Iterator<CachedPage> iterator = pages.values().iterator();
    if (!iterator.hasNext()) {
      return false;
    }
    CachedPage page = iterator.next();
    iterator.remove();
    bytes -= page.chargedBytes;
    unreadBytes += page.chargedBytes;
    if (page.aheadFor != null) {
      page.aheadFor.window().evictedUnread();
      page.aheadFor = null;
    }
    page.drop();
    return true;
  }

  void checkInvariants(Consumer<PageKey> eachKey) {
    long sum = 0;
    for (CachedPage page : pages.values()) {
      eachKey.accept(page.key);
      sum += page.chargedBytes;
    }
    if (sum != bytes) {
      throw new AssertionError("fetched ahead " + bytes + ", found " + sum);
    }
  }
}
