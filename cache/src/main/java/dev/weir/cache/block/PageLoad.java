package dev.weir.cache.block;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.SharedBlock;
import dev.weir.memory.Block;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One page under way, for whoever asks for it. Its memory is charged from the beginning, and kept
 * until the source has ended, also when nobody waits any more. Under the cache's lock.
 */
final class PageLoad {
  /** Somebody who waits for a part of the page. */
  static final class Waiter extends CompletableFuture<CacheSlice> {
    final long offset;
    final long length;
    final @Nullable BlockReader reader;

    Waiter(long offset, long length, @Nullable BlockReader reader) {
      this.offset = offset;
      this.length = length;
      this.reader = reader;
    }
  }

  final PageKey key;
  final BlockObject object;
  final long offset;
  final long chargedBytes;
  final long startedNanos;

  /** Who asked for it; null if it was nobody's reader. */
  final @Nullable BlockReader reader;

  final List<Waiter> waiters = new ArrayList<>();

  /** Whether it was begun before anybody needed it. */
  final boolean wasAhead;

  /** Whether a reader wants it although nobody waits yet. */
  boolean isWantedAhead;

  /** Nobody wants it: it is in no table, and what it brings is dropped. */
  boolean isCancelled;

  private final SharedBlock shared;
  private final MemorySegment bytes;

  /** Written under the lock. */
  private volatile BlockSource.@Nullable Fetch fetch;

  PageLoad(
      PageKey key,
      BlockObject object,
      long offset,
      long length,
      Block block,
      SharedBlock shared,
      @Nullable BlockReader reader,
      boolean ahead,
      long startedNanos) {
    this.key = key;
    this.object = object;
    this.offset = offset;
    this.chargedBytes = block.size();
    this.bytes = block.segment().asSlice(0, length);
    this.shared = shared;
    this.reader = reader;
    this.wasAhead = ahead;
    this.isWantedAhead = ahead;
    this.startedNanos = startedNanos;
  }

  /** To be written by the source. */
  MemorySegment bytes() {
    return bytes;
  }

  void began(BlockSource.Fetch started) {
    fetch = started;
  }

  /** Tells the source that nobody waits, if it has begun. Outside the lock, after it was held. */
  void cancelFetch() {
    BlockSource.Fetch begun = fetch;
    if (begun != null) {
      begun.cancel();
    }
  }

  boolean isWanted() {
    return isWantedAhead || !waiters.isEmpty();
  }

  CachedPage page() {
    return new CachedPage(key, shared, bytes, chargedBytes);
  }

  /** Gives the memory back: the source has ended, and there is no page. */
  void drop() {
    shared.drop();
  }
}
