package dev.weir.streams;

/** Wall-clock time, for expiry. */
@FunctionalInterface
public interface Clock {
  /** Milliseconds since 1970. */
  long nowMillis();
}
