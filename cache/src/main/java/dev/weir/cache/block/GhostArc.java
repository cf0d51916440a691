package dev.weir.cache.block;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The adaptive replacement cache of Megiddo and Modha (FAST 2003): pages that were read once, and
 * pages that were read again, share the room. What has been evicted of either is remembered for a
 * while; when it is asked for, its kind gets more room. A scan fills the first kind only.
 */
final class GhostArc implements GhostCache {
  private final int capacityPages;

  /** Read once, and again; least recently used first. */
  private final Map<PageKey, Boolean> once = new LinkedHashMap<>();

  private final Map<PageKey, Boolean> again = new LinkedHashMap<>();

  /** Evicted from these; oldest first. */
  private final Map<PageKey, Boolean> evictedOnce = new LinkedHashMap<>();

  private final Map<PageKey, Boolean> evictedAgain = new LinkedHashMap<>();

  /** How many of the pages should be ones that were read once. */
  private double targetOnce;

  GhostArc(int capacityPages) {
    this.capacityPages = capacityPages;
  }

  @Override
  public boolean keeps(PageKey key) {
    return once.containsKey(key) || again.containsKey(key);
  }

  @Override
  public boolean access(PageKey key) {
    if (once.remove(key) != null || again.remove(key) != null) {
      again.put(key, true);
      return true;
    }
    boolean wasOnce = evictedOnce.containsKey(key);
    boolean wasAgain = evictedAgain.containsKey(key);
    if (wasOnce) {
      double step = Math.max(1, (double) evictedAgain.size() / evictedOnce.size());
      targetOnce = Math.min(capacityPages, targetOnce + step);
      evictedOnce.remove(key);
    } else if (wasAgain) {
      double step = Math.max(1, (double) evictedOnce.size() / evictedAgain.size());
      targetOnce = Math.max(0, targetOnce - step);
      evictedAgain.remove(key);
    }
    if (once.size() + again.size() >= capacityPages) {
      evict(wasAgain);
    }
    forget();
    (wasOnce || wasAgain ? again : once).put(key, true);
    return false;
  }

  private void evict(boolean forOneReadAgain) {
    boolean takesOnce =
        !once.isEmpty()
            && (again.isEmpty()
                || once.size() > targetOnce
                || (forOneReadAgain && once.size() == (int) targetOnce));
    if (takesOnce) {
      evictedOnce.put(GhostQueue.removeFirst(once), true);
    } else {
      evictedAgain.put(GhostQueue.removeFirst(again), true);
    }
  }

  /** Of each kind, as many are remembered as the cache has pages. */
  private void forget() {
    while (once.size() + evictedOnce.size() > capacityPages && !evictedOnce.isEmpty()) {
      GhostQueue.removeFirst(evictedOnce);
    }
    while (once.size() + again.size() + evictedOnce.size() + evictedAgain.size() > 2 * capacityPages
        && !evictedAgain.isEmpty()) {
      GhostQueue.removeFirst(evictedAgain);
    }
  }
}
