package dev.weir.cache.block;

import dev.weir.cache.CacheSlice;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Pages of objects in a remote store. A page is fetched once, whoever asks for it; who asks later
 * waits for the same load. When the last one who waits gives up, the load is cancelled.
 *
 * <p>Room is charged before a fetch begins, and until the page has left the cache and the last
 * reader has released it: what is charged never exceeds the capacity. Where there is no room, pages
 * that nobody holds leave: those that the best of three policies would not keep. Loads that fail
 * are not cached.
 *
 * <p>A {@link BlockReader} that goes forward has pages fetched ahead of it. Until such a page is
 * read the policy does not know it. It is charged within the capacity, up to a part of it, for 10 s
 * at most.
 *
 * <p>It is a reclaimer of its pool: when others find no room it gives pages up, and it takes room
 * back as pages are read.
 *
 * <p>Thread-safe. One lock guards tables and figures; further pieces of a reader's page need none.
 * No source is called under it, and no future is completed under it.
 */
/*
 * Lock order: this cache's lock, the pool's. Allocations under the lock ask no reclaimers: another cache
 * might wait for this one meanwhile. Those that may are made outside it, and released at once: they only make room.
 */
public final class BlockCache implements AutoCloseable {
  private final Pool pool;
  private final BlockCacheOptions options;
  private final Budget budget;
  private final PageTable table;
  private final LongAdder hits = new LongAdder();
  private final ReentrantLock lock = new ReentrantLock();
  private final AheadTimer timer;
  private final Registration registration;

  // Under the lock.
  private long misses;
  private long joined;
  private long refused;
  private long reclaimedBytes;
  private boolean closed;

  private BlockCache(Pool pool, Budget parent, BlockCacheOptions options) {
    this.pool = pool;
    this.options = options;
    this.budget = parent.child(options.name(), options.capacityBytes());
    this.table = new PageTable(pool, budget, options);
    this.timer = new AheadTimer(lock, table, options);
    this.registration = pool.addReclaimer(budget, options.priority(), this::reclaim);
  }

  /**
   * Creates a cache. It takes no memory before its first page.
   *
   * @param parent gets a child budget, whose limit is the capacity
   */
  public static BlockCache create(Pool pool, Budget parent, BlockCacheOptions options) {
    return new BlockCache(pool, parent, options);
  }

  /** A reader of a whole object, with readahead. */
  public BlockReader reader(BlockObject object) {
    return reader(object, object.bytes());
  }

  /**
   * A reader of an object up to an offset, beyond which nothing is fetched ahead.
   *
   * @param endOffset at most the object's length
   */
  public BlockReader reader(BlockObject object, long endOffset) {
    if (endOffset < 0 || endOffset > object.bytes()) {
      throw new IndexOutOfBoundsException(
          "range up to %,d of '%s', which has %,d bytes"
              .formatted(endOffset, object.name(), object.bytes()));
    }
    return new BlockReader(this, object, endOffset);
  }

  /**
   * Reads what one page has from an offset on, without readahead.
   *
   * @param offset below the object's length
   * @param maxBytes at least 1; the slice may be shorter, as it ends with the page
   * @return the slice, for the caller to release. Cancelling the future, or completing it in
   *     another way, gives up: whoever does so gets no slice. It fails with {@link
   *     BlockCacheFullException}, or as the source does. It completes on the caller's thread or the
   *     source's
   * @throws IllegalStateException if the cache is closed
   */
  public CompletableFuture<CacheSlice> read(BlockObject object, long offset, int maxBytes) {
    return read(object, offset, maxBytes, /* reader= */ null);
  }

  CompletableFuture<CacheSlice> read(
      BlockObject object, long offset, int maxBytes, @Nullable BlockReader reader) {
    if (offset < 0 || offset >= object.bytes() || maxBytes < 1) {
      throw new IndexOutOfBoundsException(
          "%,d bytes at %,d of '%s', which has %,d"
              .formatted(maxBytes, offset, object.name(), object.bytes()));
    }
    long page = offset / options.pageBytes();
    long inPage = offset % options.pageBytes();
    long length = Math.min(maxBytes, table.pageLength(object, page) - inPage);
    PageKey key = PageKey.of(object, page);
    boolean isNextPage = reader != null && !reader.window().isLast(page);
    if (reader != null && !isNextPage) {
      CacheSlice slice = reader.tryReadCurrent(key, inPage, length);
      if (slice != null) {
        hits.increment();
        return CompletableFuture.completedFuture(slice);
      }
    }
    PageLoad.Waiter waiter = new PageLoad.Waiter(inPage, length, reader);
    int aheadPages = serve(object, page, key, waiter, isNextPage);
    if (reader != null && aheadPages > 0) {
      fetchAhead(reader, page, aheadPages);
    }
    return waiter;
  }

  /** Completes the waiter, or has it wait; tells how many pages to fetch ahead. */
  private int serve(
      BlockObject object, long page, PageKey key, PageLoad.Waiter waiter, boolean isNextPage) {
    BlockReader reader = waiter.reader;
    int aheadPages = 0;
    CacheSlice slice = null;
    PageLoad load = null;
    PageLoad toStart = null;
    for (int attempt = 0; slice == null && load == null && attempt < 2; attempt++) {
      List<PageLoad> abandoned = List.of();
      lock.lock();
      try {
        requireOpen();
        long now = options.clock().getAsLong();
        table.expire(now);
        if (attempt == 0 && (reader == null || isNextPage)) {
          table.accessed(key);
        }
        if (reader != null && isNextPage && attempt == 0) {
          aheadPages = reader.window().advance(page, now, table.mostAheadPages());
          abandoned = aheadPages == 0 ? table.abandonAhead(reader) : abandoned;
        }
        CachedPage found = table.find(key);
        slice = found == null ? null : found.trySlice(waiter.offset, waiter.length);
        if (slice != null && found != null) {
          hits.increment();
          if (reader != null) {
            reader.delivered(found, now);
          }
          break;
        }
        load = table.join(key, waiter);
        if (load != null) {
          joined++;
        } else {
          load = table.begin(object, page, key, waiter, now);
          toStart = load;
          misses += load == null ? 0 : 1;
        }
      } finally {
        lock.unlock();
        abandoned.forEach(PageLoad::cancelFetch);
      }
      if (load == null && (attempt > 0 || !askOthersForRoom(table.pageLength(object, page)))) {
        break;
      }
    }
    if (slice != null) {
      deliver(waiter, slice);
    } else if (load == null) {
      waiter.completeExceptionally(full(key));
    } else {
      PageLoad awaited = load;
      waiter.whenComplete((_, failure) -> {
        if (failure != null) {
          leave(awaited, waiter);
        }
      });
    }
    if (toStart != null) {
      start(toStart);
    }
    return aheadPages;
  }

  private static void deliver(PageLoad.Waiter waiter, CacheSlice slice) {
    if (!waiter.complete(slice)) {
      slice.release(); // It has given up meanwhile.
    }
  }

  private BlockCacheFullException full(PageKey key) {
    lock.lock();
    try {
      refused++;
    } finally {
      lock.unlock();
    }
    return new BlockCacheFullException(
        "block cache '%s' of %,d bytes has no room for page %d of '%s': %,d bytes are held by readers or under way, and the pool's budget '%s' has charged %,d; release slices, or raise a limit"
            .formatted(
                options.name(),
                options.capacityBytes(),
                key.page(),
                key.object(),
                table.pins().pinnedBytes() + table.loadingBytes(),
                budget.root().name(),
                budget.root().chargedBytes()));
  }

  /** Outside the lock: those who are asked may be other caches, or this one. */
  private boolean askOthersForRoom(long bytes) {
    if (!budget.hasRoom(bytes)) {
      return false;
    }
    Block room = pool.tryAllocate(bytes, budget);
    if (room == null) {
      return false;
    }
    room.release();
    return true;
  }

  /** Calls the source; its end comes here or on its thread. */
  private void start(PageLoad load) {
    BlockSource.Fetch fetch;
    boolean isCancelled;
    try {
      fetch = load.object.source().fetch(load.object.name(), load.offset, load.bytes());
    } catch (Throwable e) {
      ended(load, e); // Nothing has begun, so nobody writes.
      return;
    }
    lock.lock();
    try {
      load.began(fetch);
      isCancelled = load.isCancelled;
    } finally {
      lock.unlock();
    }
    if (isCancelled) {
      fetch.cancel();
    }
    fetch.ended().whenComplete((_, failure) -> ended(load, failure));
  }

  /** Nobody writes into the page's memory any more. */
  private void ended(PageLoad load, @Nullable Throwable failure) {
    List<PageLoad.Waiter> waiters;
    List<CacheSlice> slices = new ArrayList<>();
    boolean toTimer = false;
    lock.lock();
    try {
      waiters = List.copyOf(load.waiters);
      load.waiters.clear();
      long now = options.clock().getAsLong();
      CachedPage page = table.end(load, failure, now);
      if (page != null) {
        for (PageLoad.Waiter waiter : waiters) {
          CacheSlice slice = page.trySlice(waiter.offset, waiter.length);
          if (slice != null) {
            slices.add(slice);
          }
          if (waiter.reader != null) {
            waiter.reader.delivered(page, now);
          }
        }
        table.keep(page, load, /* wasRead= */ !waiters.isEmpty(), now);
        toTimer = timer.arm();
      }
    } finally {
      lock.unlock();
    }
    for (int i = 0; i < waiters.size(); i++) {
      if (i < slices.size()) {
        deliver(waiters.get(i), slices.get(i));
      } else {
        waiters.get(i).completeExceptionally(failure == null ? closed() : failure);
      }
    }
    if (toTimer) {
      timer.start(options.aheadTime().toNanos());
    }
  }

  /** Somebody who waited has given up. */
  private void leave(PageLoad load, PageLoad.Waiter waiter) {
    boolean isLast;
    lock.lock();
    try {
      isLast = load.waiters.remove(waiter) && table.abandonIfUnwanted(load);
    } finally {
      lock.unlock();
    }
    if (isLast) {
      load.cancelFetch();
    }
  }

  private void fetchAhead(BlockReader reader, long page, int pages) {
    List<PageLoad> begun;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      begun = table.beginAhead(reader, page, pages, options.clock().getAsLong());
    } finally {
      lock.unlock();
    }
    begun.forEach(this::start);
  }

  void cancelAhead(BlockReader reader) {
    List<PageLoad> abandoned;
    lock.lock();
    try {
      abandoned = table.abandonAhead(reader);
    } finally {
      lock.unlock();
    }
    abandoned.forEach(PageLoad::cancelFetch);
  }

  /** Gives pages up: those that the policy values least, then those fetched ahead. */
  private long reclaim(long bytes) {
    lock.lock();
    try {
      long freed = table.giveUp(bytes);
      reclaimedBytes += freed;
      return freed;
    } finally {
      lock.unlock();
    }
  }

  /** What it holds and has done. */
  public BlockCacheFigures figures() {
    lock.lock();
    try {
      return table.figures(hits.sum(), misses, joined, reclaimedBytes, refused);
    } finally {
      lock.unlock();
    }
  }

  /** What it charges: its limit is the capacity. */
  public Budget budget() {
    return budget;
  }

  /**
   * Whether every page is in one place at most, and the figures add up. Not while reads or releases
   * are under way.
   *
   * @throws AssertionError where that does not hold
   */
  public void checkInvariants() {
    lock.lock();
    try {
      table.checkInvariants();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Drops all pages and cancels all loads; who waits hears of it. Slices stay valid until they are
   * released, and the memory of loads is charged until their source has ended.
   */
  @Override
  public void close() {
    registration.close();
    List<PageLoad> loads = List.of();
    List<PageLoad.Waiter> waiters = new ArrayList<>();
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        loads = table.close();
        for (PageLoad load : loads) {
          waiters.addAll(load.waiters);
          load.waiters.clear();
        }
        budget.close();
      }
    } finally {
      lock.unlock();
    }
    loads.forEach(PageLoad::cancelFetch);
    waiters.forEach(waiter -> waiter.completeExceptionally(closed()));
  }

  private void requireOpen() {
    if (closed) {
      throw closed();
    }
  }

  private IllegalStateException closed() {
    return new IllegalStateException("block cache '" + options.name() + "' is closed");
  }
}
