package dev.weir.memory.pages;

/** How much of the limit a request leaves to others. */
public enum Lane {
  /** Blocks of at most 4 KiB: nothing, so that a server can always say "no". */
  SMALL,
  /** Everything else leaves the small reserve alone. */
  LARGE,
  /**
   * Promises also leave headroom for the buffers that fill promised pages: a service whose memory
   * is promised to the last page could not read what it made the promises for.
   */
  PROMISE
}
