package dev.weir.micrometer;

import dev.weir.cache.block.BlockCache;
import dev.weir.cache.block.BlockCacheFigures;
import dev.weir.cache.log.LogCache;
import dev.weir.cache.log.LogCacheFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/**
 * The meters of a log cache or a block cache, for services that have the module {@code
 * dev.weir.cache} too. Thread-safe.
 *
 * <pre>
 *   weir.cache.capacity                   bytes    the most that it may charge
 *   weir.cache.charged                    bytes    what it charges
 *   weir.cache.held       kind=…          bytes    of that: see below
 *   weir.cache.reads      result=…        reads    counter: hit, partial, miss, joined, refused
 *   weir.cache.evicted                    bytes    counter: dropped to make room
 *   weir.cache.reclaimed                  bytes    counter: given back because others needed it
 *   weir.cache.pinned                     bytes    chunks or pages that readers hold
 *
 *   a log cache:    held: live, descriptions, headers, dead, unused, orphaned
 *   weir.cache.unflushed                  bytes    that have to be kept
 *   weir.cache.refusals                   batches  counter: puts for which there was no room
 *   weir.cache.copied                     bytes    counter: read by a copy
 *   weir.cache.index.heap                 bytes    of the Java heap, about
 *
 *   a block cache:  held: cached, loading, ahead, orphaned
 *   weir.cache.loads      result=…        loads    counter: ok, failed, cancelled
 *   weir.cache.readahead  result=…        bytes    counter: useful, unread
 * </pre>
 *
 * <p>All have the tag {@code cache}, the name of its budget. The registry does not keep a cache
 * alive: when one has been collected its gauges read as NaN.
 */
public final class CacheMetrics implements MeterBinder {
  private final Binder binder;

  private CacheMetrics(Binder binder) {
    this.binder = binder;
  }

  @FunctionalInterface
  private interface Binder {
    void bindTo(MeterRegistry registry);
  }

  /** The meters of a log cache, with further tags for all of them. */
  public static CacheMetrics of(LogCache cache, Iterable<Tag> tags) {
    Tags all = Tags.of(tags).and("cache", cache.budget().name());
    return new CacheMetrics(registry -> {
      Meters<LogCache> meters = new Meters<>(registry, cache, all);
      bind(meters, LogCache::figures);
    });
  }

  /** The meters of a block cache, with further tags for all of them. */
  public static CacheMetrics of(BlockCache cache, Iterable<Tag> tags) {
    Tags all = Tags.of(tags).and("cache", cache.budget().name());
    return new CacheMetrics(registry -> {
      Meters<BlockCache> meters = new Meters<>(registry, cache, all);
      bindBlocks(meters, BlockCache::figures);
    });
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    binder.bindTo(registry);
  }

  @FunctionalInterface
  private interface Figures<C, F> {
    F of(C cache);

    default ToDoubleFunction<C> value(ToDoubleFunction<F> figure) {
      return cache -> figure.applyAsDouble(of(cache));
    }
  }

  private static void bind(Meters<LogCache> meters, Figures<LogCache, LogCacheFigures> figures) {
    meters.bytes("capacity", figures.value(LogCacheFigures::capacityBytes));
    meters.bytes("charged", figures.value(LogCacheFigures::chargedBytes));
    meters.held("live", figures.value(LogCacheFigures::batchBytes));
    meters.held("descriptions", figures.value(LogCacheFigures::descriptionBytes));
    meters.held("headers", figures.value(all -> all.chunks().headerBytes()));
    meters.held("dead", figures.value(all -> all.chunks().deadBytes()));
    meters.held("unused", figures.value(all -> all.chunks().unusedBytes()));
    meters.held("orphaned", figures.value(LogCacheFigures::orphanedBytes));
    meters.bytes("pinned", figures.value(LogCacheFigures::pinnedBytes));
    meters.bytes("unflushed", figures.value(LogCacheFigures::unflushedBytes));
    meters.bytes("index.heap", figures.value(LogCacheFigures::indexHeapBytes));
    meters.count("reads", "hit", "reads", figures.value(LogCacheFigures::hits));
    meters.count("reads", "partial", "reads", figures.value(LogCacheFigures::partialHits));
    meters.count("reads", "miss", "reads", figures.value(LogCacheFigures::misses));
    meters.count("reads", "refused", "reads", figures.value(LogCacheFigures::refusedReads));
    meters.sum("evicted", BaseUnits.BYTES, figures.value(LogCacheFigures::evictedBytes));
    meters.sum("reclaimed", BaseUnits.BYTES, figures.value(LogCacheFigures::reclaimedBytes));
    meters.sum("copied", BaseUnits.BYTES, figures.value(LogCacheFigures::copiedBytes));
    meters.sum("refusals", "batches", figures.value(LogCacheFigures::refusedPuts));
  }

  private static void bindBlocks(
      Meters<BlockCache> meters, Figures<BlockCache, BlockCacheFigures> figures) {
    meters.bytes("capacity", figures.value(BlockCacheFigures::capacityBytes));
    meters.bytes("charged", figures.value(BlockCacheFigures::chargedBytes));
    meters.held("cached", figures.value(BlockCacheFigures::cachedBytes));
    meters.held("loading", figures.value(BlockCacheFigures::loadingBytes));
    meters.held("ahead", figures.value(BlockCacheFigures::aheadBytes));
    meters.held("orphaned", figures.value(BlockCacheFigures::orphanedBytes));
    meters.bytes("pinned", figures.value(BlockCacheFigures::pinnedBytes));
    meters.count("reads", "hit", "reads", figures.value(BlockCacheFigures::hits));
    meters.count("reads", "miss", "reads", figures.value(BlockCacheFigures::misses));
    meters.count("reads", "joined", "reads", figures.value(BlockCacheFigures::joined));
    meters.count("reads", "refused", "reads", figures.value(BlockCacheFigures::refused));
    meters.count("loads", "ok", "loads", figures.value(BlockCacheFigures::loads));
    meters.count("loads", "failed", "loads", figures.value(BlockCacheFigures::failedLoads));
    meters.count("loads", "cancelled", "loads", figures.value(BlockCacheFigures::cancelledLoads));
    meters.count(
        "readahead", "useful", BaseUnits.BYTES, figures.value(BlockCacheFigures::aheadUsefulBytes));
    meters.count(
        "readahead", "unread", BaseUnits.BYTES, figures.value(BlockCacheFigures::aheadUnreadBytes));
    meters.sum("evicted", BaseUnits.BYTES, figures.value(BlockCacheFigures::evictedBytes));
    meters.sum("reclaimed", BaseUnits.BYTES, figures.value(BlockCacheFigures::reclaimedBytes));
  }

  /** Registers meters of one cache. */
  private record Meters<C>(MeterRegistry registry, C cache, Tags tags) {
    void bytes(String name, ToDoubleFunction<C> value) {
      gauge(name, tags, value);
    }

    void held(String kind, ToDoubleFunction<C> value) {
      gauge("held", tags.and("kind", kind), value);
    }

    private void gauge(String name, Tags all, ToDoubleFunction<C> value) {
      Gauge.builder("weir.cache." + name, cache, value)
          .baseUnit(BaseUnits.BYTES)
          .tags(all)
          .register(registry);
    }

    void count(String name, String result, String unit, ToDoubleFunction<C> value) {
      counter(name, unit, tags.and("result", result), value);
    }

    void sum(String name, String unit, ToDoubleFunction<C> value) {
      counter(name, unit, tags, value);
    }

    private void counter(String name, String unit, Tags all, ToDoubleFunction<C> value) {
      FunctionCounter.builder("weir.cache." + name, cache, value)
          .baseUnit(unit)
          .tags(all)
          .register(registry);
    }
  }
}
