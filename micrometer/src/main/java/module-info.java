/** Meters of a pool, and of gates where {@code dev.weir.netty} is there, for Micrometer. */
module dev.weir.micrometer {
  requires static dev.weir.netty;
  requires static org.jspecify;
  requires transitive dev.weir.memory;
  requires transitive micrometer.core;

  exports dev.weir.micrometer;
}
