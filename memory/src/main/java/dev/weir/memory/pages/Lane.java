package dev.weir.memory.pages;

/** How much of the limit a request leaves to others. */
public enum Lane {
  /** Blocks of at most 4 KiB: nothing, so that a server can always say "no". */
  SMALL,
  /** Everything else leaves the small reserve alone. */
  LARGE,
  /**
   * Promises also leave headroom for the buffers that fill promised pages: a service whose memory
   * is promised to the last page could not read what it made the promises for. And they leave a
   * 16th of the limit to small promises and the blocks in them, so that these never wait for
   * promises alone.
   */
  PROMISE,
  /** Promises of at most {@link #MAX_SMALL_PROMISE_BYTES} leave the headroom. */
  SMALL_PROMISE,
  /**
   * The same while larger ones wait: no more than that 16th, so that these are not starved by small
   * ones.
   */
  OWN_SMALL_PROMISE;

  /** 64 KiB: a message, a chunk of a stream, a small body. */
  public static final long MAX_SMALL_PROMISE_BYTES = 64 << 10;

  /** Whether its requests share the 16th of small promises. */
  boolean isSmallPromise() {
    return this == SMALL_PROMISE || this == OWN_SMALL_PROMISE;
  }

  /** Whether its requests are promises, or are met out of one. */
  boolean isPromise() {
    return this == PROMISE || isSmallPromise();
  }
}
