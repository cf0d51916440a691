/** Meters of a pool for Micrometer. */
module dev.weir.micrometer {
  requires static org.jspecify;
  requires transitive dev.weir.memory;
  requires transitive micrometer.core;

  exports dev.weir.micrometer;
}
