package dev.weir.cache.block;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletionStage;

/**
 * A store that a {@link BlockCache} fetches pages from: ranged reads of objects that do not change.
 * Thread-safe.
 */
public interface BlockSource {
  /** Tells this store from all others that use the same cache; part of every key. */
  String name();

  /**
   * Begins to fill a buffer with the bytes of an object from an offset on. It must not block.
   *
   * @param into to be filled completely; what is less is a failure. It may be written until {@link
   *     Fetch#ended} completes, and not afterwards: then the memory may be somebody else's
   */
  Fetch fetch(String object, long offset, MemorySegment into);

  /** A read under way. */
  interface Fetch {
    /**
     * Completes when the buffer is filled, or fails. Either way nobody writes into the buffer any
     * more: no late attempt, no retry.
     */
    CompletionStage<?> ended();

    /**
     * Nobody waits for it any more. It may go on or fail early; {@link #ended} has to complete in
     * both cases. May be called at any time, and more than once.
     */
    void cancel();
  }
}
