package dev.weir.cache.block;

import dev.weir.cache.PinFigures;
import dev.weir.cache.SharedBlock;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Pressure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where each page is: under way, fetched ahead, or cached; in one place at most. Makes room and
 * keeps the accounts. All under the cache's lock.
 */
final class PageTable {
  private final Pool pool;
  private final Budget budget;
  private final BlockCacheOptions options;
  private final PinFigures pins = new PinFigures();
  private final PagePolicy policy;
  private final AheadPages ahead = new AheadPages();
  private final Map<PageKey, PageLoad> loads = new HashMap<>();

  /** Of loads that have not ended, those that nobody waits for any more among them. */
  private long loadingBytes;

  /** Of these, loads for which only a reader's window has asked. */
  private long aheadLoadingBytes;

  private long loaded;
  private long loadedBytes;
  private long failed;
  private long cancelled;
  private long aheadLoadedBytes;
  private long aheadUsefulBytes;

  PageTable(Pool pool, Budget budget, BlockCacheOptions options) {
    this.pool = pool;
    this.budget = budget;
    this.options = options;
    this.policy = new PagePolicy(mostPages(options));
  }

  private static int mostPages(BlockCacheOptions options) {
    return (int) Math.min(Integer.MAX_VALUE / 4, options.capacityBytes() / options.pageBytes());
  }

  PinFigures pins() {
    return pins;
  }

  long loadingBytes() {
    return loadingBytes;
  }

  long pageLength(BlockObject object, long page) {
    return Math.min(options.pageBytes(), object.bytes() - page * options.pageBytes());
  }

  /** Somebody reads a page, whether it is there or not; once for all pieces that a reader takes. */
  void accessed(PageKey key) {
    policy.access(key);
  }

  /** A page that is there; null if it is not. */
  @Nullable CachedPage find(PageKey key) {
    CachedPage page = ahead.take(key);
    if (page == null) {
      return policy.get(key);
    }
    page.aheadFor = null;
    aheadUsefulBytes += page.chargedBytes;
    cache(page);
    return page;
  }

  private void cache(CachedPage page) {
    fitPolicy();
    policy.put(page); // It takes the room that it took elsewhere.
  }

  /** Waits for a load that has begun; null if there is none. */
  @Nullable PageLoad join(PageKey key, PageLoad.Waiter waiter) {
    PageLoad load = loads.get(key);
    if (load != null) {
      if (load.isWantedAhead) {
        load.isWantedAhead = false;
        aheadLoadingBytes -= load.chargedBytes;
        aheadUsefulBytes += load.chargedBytes;
      }
      load.waiters.add(waiter);
    }
    return load;
  }

  /** Begins a load, to be started outside the lock; null if there is no room. */
  @Nullable PageLoad begin(
      BlockObject object, long page, PageKey key, PageLoad.Waiter waiter, long now) {
    Block block = reserve(pageLength(object, page), /* demanded= */ true);
    if (block == null) {
      return null;
    }
    PageLoad load = add(object, page, key, block, waiter.reader, /* isAhead= */ false, now);
    load.waiters.add(waiter);
    return load;
  }

  private PageLoad add(
      BlockObject object,
      long page,
      PageKey key,
      Block block,
      @Nullable BlockReader reader,
      boolean isAhead,
      long now) {
    PageLoad load =
        new PageLoad(
            key,
            object,
            page * options.pageBytes(),
            pageLength(object, page),
            block,
            new SharedBlock(block, block.size(), pins),
            reader,
            isAhead,
            now);
    loads.put(key, load);
    loadingBytes += load.chargedBytes;
    aheadLoadingBytes += isAhead ? load.chargedBytes : 0;
    return load;
  }

  /** Begins loads behind a page, as far as there is room for what is fetched ahead. */
  List<PageLoad> beginAhead(BlockReader reader, long page, int pages, long now) {
    List<PageLoad> begun = new ArrayList<>();
    BlockObject object = reader.object();
    for (long next = page + 1; next <= page + pages; next++) {
      if (next * options.pageBytes() >= reader.endOffset()) {
        break;
      }
      PageKey key = PageKey.of(object, next);
      if (policy.has(key) || ahead.has(key) || loads.containsKey(key)) {
        continue;
      }
      long bytes = pageLength(object, next);
      if (ahead.bytes() + aheadLoadingBytes + bytes > aheadLimitBytes()) {
        break;
      }
      Block block = reserve(bytes, /* demanded= */ false);
      if (block == null) {
        break;
      }
      begun.add(add(object, next, key, block, reader, /* isAhead= */ true, now));
    }
    return begun;
  }

  /** Less under pressure: half of it when the pool is short, nothing when it is very short. */
  private long aheadLimitBytes() {
    Pressure pressure = pool.rootBudget().pressure();
    return switch (pressure) {
      case NONE -> options.aheadBytes();
      case HIGH -> options.aheadBytes() / 2;
      case CRITICAL -> 0;
    };
  }

  int mostAheadPages() {
    return (int) Math.min(Integer.MAX_VALUE, options.aheadBytes() / options.pageBytes());
  }

  /**
   * Takes memory for a page. Where there is none, pages that were read leave, and, for one that
   * somebody waits for, more of them and those fetched ahead.
   */
  private @Nullable Block reserve(long bytes, boolean demanded) {
    loadingBytes += bytes;
    try {
      fitPolicy();
      while (true) {
        Block block = pool.tryAllocateAtOnce(bytes, budget);
        if (block != null || !demanded || (!policy.evict(bytes) && !ahead.dropOldest())) {
          return block;
        }
      }
    } finally {
      loadingBytes -= bytes;
    }
  }

  /** The policy may keep what all others leave. */
  private void fitPolicy() {
    policy.fit(options.capacityBytes() - loadingBytes - ahead.bytes() - pins.orphanedBytes());
  }

  /**
   * A load has ended.
   *
   * @return the page; null if the load failed, or nobody wants it
   */
  @Nullable CachedPage end(PageLoad load, @Nullable Throwable failure, long now) {
    loadingBytes -= load.chargedBytes;
    if (load.isCancelled) {
      load.drop();
      return null;
    }
    loads.remove(load.key);
    aheadLoadingBytes -= load.isWantedAhead ? load.chargedBytes : 0;
    if (failure != null) {
      failed++;
      load.drop();
      return null;
    }
    loaded++;
    loadedBytes += load.chargedBytes;
    aheadLoadedBytes += load.wasAhead ? load.chargedBytes : 0;
    if (load.reader != null) {
      load.reader.window().loaded(now - load.startedNanos);
    }
    return load.page();
  }

  /** Keeps a page that has come: as cached, or until its reader comes. */
  void keep(CachedPage page, PageLoad load, boolean wasRead, long now) {
    if (wasRead) {
      cache(page);
    } else {
      page.aheadFor = load.reader;
      page.deadlineNanos = now + options.aheadTime().toNanos();
      ahead.add(page);
    }
  }

  /** Whether nobody wants a load any more: then it is out of the table, and is to be cancelled. */
  boolean abandonIfUnwanted(PageLoad load) {
    if (load.isWanted() || load.isCancelled || loads.get(load.key) != load) {
      return false;
    }
    abandon(load);
    loads.remove(load.key);
    return true;
  }

  private void abandon(PageLoad load) {
    load.isCancelled = true;
    cancelled++;
    aheadLoadingBytes -= load.isWantedAhead ? load.chargedBytes : 0;
    load.isWantedAhead = false;
  }

  /** What is under way for a reader alone, which does not want it any more; to be cancelled. */
  List<PageLoad> abandonAhead(BlockReader reader) {
    List<PageLoad> abandoned = new ArrayList<>();
    for (PageLoad load : List.copyOf(loads.values())) {
      if (load.reader == reader && load.isWantedAhead) {
        abandon(load);
        loads.remove(load.key);
        abandoned.add(load);
      }
    }
    return abandoned;
  }

  void expire(long now) {
    ahead.expire(now);
  }

  boolean hasAhead() {
    return !ahead.isEmpty();
  }

  long nextDeadlineNanos() {
    return ahead.nextDeadlineNanos();
  }

  /** Gives pages up; tells how many bytes went back to the pool. */
  long giveUp(long bytes) {
    long before = heldBytes();
    long freed = 0;
    while (freed < bytes && (policy.evict(bytes - freed) || ahead.dropOldest())) {
      freed = before - heldBytes();
    }
    return Math.max(0, freed);
  }

  private long heldBytes() {
    return policy.cachedBytes() + ahead.bytes() + pins.orphanedBytes();
  }

  /** Drops all pages; the loads, out of the table, are to be cancelled. */
  List<PageLoad> close() {
    List<PageLoad> left = List.copyOf(loads.values());
    left.forEach(this::abandon);
    loads.clear();
    while (ahead.dropOldest()) {}
    policy.clear();
    return left;
  }

  BlockCacheFigures figures(
      long hits, long misses, long joined, long reclaimedBytes, long refused) {
    return new BlockCacheFigures(
        options.capacityBytes(),
        budget.chargedBytes(),
        policy.cachedBytes(),
        loadingBytes,
        ahead.bytes(),
        pins.orphanedBytes(),
        pins.pinnedBytes(),
        hits,
        misses,
        joined,
        loaded,
        loadedBytes,
        failed,
        cancelled,
        aheadLoadedBytes,
        aheadUsefulBytes,
        ahead.unreadBytes(),
        policy.evictedBytes(),
        reclaimedBytes,
        refused);
  }

  void checkInvariants() {
    for (PageKey key : loads.keySet()) {
      require(!policy.has(key) && !ahead.has(key), "page is under way and there: " + key);
    }
    ahead.checkInvariants(key -> require(!policy.has(key), "page is there twice: " + key));
    long sum = policy.cachedBytes() + loadingBytes + ahead.bytes() + pins.orphanedBytes();
    require(sum == budget.chargedBytes(), "charged " + budget.chargedBytes() + ", found " + sum);
    long wantedAhead =
        loads.values().stream()
            .filter(load -> load.isWantedAhead)
            .mapToLong(load -> load.chargedBytes)
            .sum();
    require(wantedAhead == aheadLoadingBytes, "under way ahead " + aheadLoadingBytes);
    policy.checkInvariants();
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
