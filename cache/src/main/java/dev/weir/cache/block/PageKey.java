package dev.weir.cache.block;

/** Names a page: the store is part of it, since two stores may have objects of one name. */
record PageKey(String store, String object, long page) {
  static PageKey of(BlockObject object, long page) {
    return new PageKey(object.source().name(), object.name(), page);
  }
}
