/** Meters of a pool, and of gates and caches where their modules are there, for Micrometer. */
module dev.weir.micrometer {
  requires static dev.weir.cache;
  requires static dev.weir.netty;
  requires static org.jspecify;
  requires transitive dev.weir.memory;
  requires transitive micrometer.core;

  exports dev.weir.micrometer;
}
