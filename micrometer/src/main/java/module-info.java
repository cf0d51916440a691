/**
 * Meters of a pool for Micrometer. Of gates where {@code dev.weir.netty} is there, of caches where
 * {@code dev.weir.cache} is.
 */
module dev.weir.micrometer {
  requires static dev.weir.netty;
  requires static org.jspecify;
  requires static dev.weir.cache;
  requires transitive dev.weir.memory;
  requires transitive micrometer.core;

  exports dev.weir.micrometer;
}
