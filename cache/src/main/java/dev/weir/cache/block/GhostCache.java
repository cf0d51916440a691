package dev.weir.cache.block;

/** What a cache of pages would keep by one policy: keys without pages. Under the cache's lock. */
interface GhostCache {
  /** A page is read; tells whether it would have been there. Now it is. */
  boolean access(PageKey key);

  /** Whether a page is there. */
  boolean keeps(PageKey key);
}
