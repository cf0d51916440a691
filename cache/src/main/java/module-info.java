/** Memory for caches: records one after another, the tail of a log, pages of remote objects. */
module dev.weir.cache {
  requires static org.jspecify;
  requires transitive dev.weir.memory;

  exports dev.weir.cache;
  exports dev.weir.cache.block;
  exports dev.weir.cache.log;
  exports dev.weir.cache.seq;
}
