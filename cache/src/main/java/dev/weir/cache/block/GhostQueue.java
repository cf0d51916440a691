package dev.weir.cache.block;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** First in, first out; or the least recently used page first. */
final class GhostQueue implements GhostCache {
  private final Map<PageKey, Boolean> keys;
  private final int capacityPages;

  private GhostQueue(int capacityPages, boolean accessOrder) {
    this.capacityPages = capacityPages;
    this.keys = new LinkedHashMap<>(16, 0.75f, accessOrder);
  }

  static GhostQueue fifo(int capacityPages) {
    return new GhostQueue(capacityPages, /* accessOrder= */ false);
  }

  static GhostQueue lru(int capacityPages) {
    return new GhostQueue(capacityPages, /* accessOrder= */ true);
  }

  @Override
  public boolean access(PageKey key) {
    if (keys.get(key) != null) {
      return true;
    }
    keys.put(key, true);
    if (keys.size() > capacityPages) {
      removeFirst(keys);
    }
    return false;
  }

  @Override
  public boolean keeps(PageKey key) {
    return keys.containsKey(key);
  }

  /** Removes and tells the key that has been there for longest. */
  static PageKey removeFirst(Map<PageKey, Boolean> keys) {
    Iterator<PageKey> iterator = keys.keySet().iterator();
    PageKey first = iterator.next();
    iterator.remove();
    return first;
  }
}
