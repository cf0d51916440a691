package dev.weir.cache.block;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pages that have been read, and which of them goes first. Under the cache's lock.
 *
 * <p>No single policy is good at everything that is read from a log: consumers that follow each
 * other read each page a fixed number of times, others read the same pages again and again, and
 * some scan. So three policies are followed by their keys alone, {@link GhostQueue least recently
 * used, first in first out}, and {@link GhostArc}. The page that goes is one that the policy with
 * the fewest misses of late would not have. Pages that readers hold stay: they would give no room.
 */
final class PagePolicy {
  /**
   * A miss is forgotten after about so many times what the cache has pages. With half of that, two
   * policies that are nearly equal take turns: each turn costs pages.
   */
  private static final int MEMORY = 8;

  private final GhostCache[] ghosts;
  private final double[] misses;
  private final double decay;
  private int leader;

  /** Least recently used first. */
  private final Map<PageKey, CachedPage> pages =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);

  private long cachedBytes;
  private long evictedBytes;

  PagePolicy(int capacityPages) {
    this.ghosts =
        new GhostCache[] {
          new GhostArc(capacityPages), GhostQueue.lru(capacityPages), GhostQueue.fifo(capacityPages)
        };
    this.misses = new double[ghosts.length];
    this.decay = 1 - 1.0 / ((double) MEMORY * capacityPages);
  }

  /** A page is read, whether it is there or not. */
  void access(PageKey key) {
    for (int i = 0; i < ghosts.length; i++) {
      boolean isHit = ghosts[i].access(key);
      misses[i] = misses[i] * decay + (isHit ? 0 : 1);
    }
    for (int i = 0; i < ghosts.length; i++) {
      // Half a miss less: policies that are equally good do not take turns.
      leader = misses[i] < misses[leader] - 0.5 ? i : leader;
    }
  }

  /** A page that is there. */
  @Nullable CachedPage get(PageKey key) {
    return pages.get(key);
  }

  boolean has(PageKey key) {
    return pages.containsKey(key);
  }

  void put(CachedPage page) {
    pages.put(page.key, page);
    cachedBytes += page.chargedBytes;
  }

  /** Has pages leave until at most so many bytes are kept, or readers hold the rest. */
  void fit(long maxBytes) {
    while (cachedBytes > maxBytes && evictOne()) {}
  }

  /** Has at least so many bytes leave, as far as nobody holds them; tells whether a page left. */
  boolean evict(long bytes) {
    long before = cachedBytes;
    fit(Math.max(0, cachedBytes - bytes));
    return cachedBytes < before;
  }

  private boolean evictOne() {
    GhostCache policy = ghosts[leader];
    CachedPage victim = null;
    for (CachedPage page : pages.values()) {
      if (!page.isHeld()) {
        if (!policy.keeps(page.key)) {
          victim = page;
          break;
        }
        victim = victim == null ? page : victim;
      }
    }
    if (victim == null) {
      return false;
    }
    pages.remove(victim.key);
    left(victim);
    return true;
  }

  private void left(CachedPage page) {
    cachedBytes -= page.chargedBytes;
    evictedBytes += page.chargedBytes;
    page.drop();
  }

  long cachedBytes() {
    return cachedBytes;
  }

  long evictedBytes() {
    return evictedBytes;
  }

  void clear() {
    for (Iterator<CachedPage> all = pages.values().iterator(); all.hasNext(); ) {
      CachedPage page = all.next();
      all.remove();
      left(page);
    }
  }

  void checkInvariants() {
    long sum = pages.values().stream().mapToLong(page -> page.chargedBytes).sum();
    if (sum != cachedBytes) {
      throw new AssertionError("cached " + cachedBytes + ", found " + sum);
    }
  }
}
