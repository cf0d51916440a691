/** Meters of a pool, and of caches, for Micrometer. */
module dev.weir.micrometer {
  requires static org.jspecify;
  requires static dev.weir.cache;
  requires transitive dev.weir.memory;
  requires transitive micrometer.core;

  exports dev.weir.micrometer;
}
