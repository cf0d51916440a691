package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.block.BlockCache;
import dev.weir.cache.block.BlockCacheOptions;
import dev.weir.cache.block.BlockObject;
import dev.weir.cache.block.BlockSource;
import dev.weir.cache.log.LogCache;
import dev.weir.cache.log.LogCacheOptions;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class CacheMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Pool pool = Pool.create(PoolOptions.withLimit(64 << 20));

  private double value(String name, String... tags) {
    Meter meter = registry.get("weir.cache." + name).tags(tags).meter();
    return meter.measure().iterator().next().getValue();
  }

  private double held(String cache) {
    return registry.get("weir.cache.held").tags("cache", cache).gauges().stream()
        .mapToDouble(gauge -> gauge.value())
        .sum();
  }

  @Test
  void aLogCacheShowsItsFigures() {
    try (LogCache cache =
        LogCache.create(pool, pool.rootBudget(), LogCacheOptions.withCapacity(8 << 20))) {
      CacheMetrics.of(cache, Tags.of("zone", "a")).bindTo(registry);
      cache.put(1, 1, 0, 1, MemorySegment.ofArray(new byte[100_000]));
      cache.put(2, 2, 0, 1, MemorySegment.ofArray(new byte[50_000]));
      cache.read(1, 0, 1, 1).close();
      cache.read(1, 5, 6, 1).close();
      cache.delete(2);

      assertThat(value("capacity", "zone", "a")).isEqualTo(8 << 20);
      assertThat(value("held", "kind", "live")).isEqualTo(100_000);
      assertThat(value("held", "kind", "descriptions")).isEqualTo(28);
      assertThat(held("log-cache")).isEqualTo(value("charged"));
      assertThat(value("unflushed")).isEqualTo(100_000);
      assertThat(value("reads", "result", "hit")).isEqualTo(1);
      assertThat(value("reads", "result", "miss")).isEqualTo(1);
    }
  }

  @Test
  void aBlockCacheShowsItsFigures() {
    BlockSource source =
        new BlockSource() {
          @Override
          public String name() {
            return "store";
          }

          @Override
          public Fetch fetch(String object, long offset, MemorySegment into) {
            return new Fetch() {
              @Override
              public CompletionStage<?> ended() {
                return CompletableFuture.completedStage(null);
              }

              @Override
              public void cancel() {}
            };
          }
        };
    try (BlockCache cache =
        BlockCache.create(pool, pool.rootBudget(), BlockCacheOptions.withCapacity(16 << 20))) {
      CacheMetrics.of(cache, Tags.empty()).bindTo(registry);
      try (var reader = cache.reader(new BlockObject(source, "object", 8 << 20))) {
        for (int page = 0; page < 4; page++) {
          reader.read((long) page << 20, 10).join().release();
        }
      }

      assertThat(value("held", "kind", "cached")).isEqualTo(4 << 20);
      assertThat(value("held", "kind", "ahead")).isPositive();
      assertThat(held("block-cache")).isEqualTo(value("charged"));
      assertThat(value("reads", "result", "miss")).isEqualTo(2);
      assertThat(value("reads", "result", "hit")).isEqualTo(2);
      assertThat(value("readahead", "result", "useful")).isEqualTo(2 << 20);
      assertThat(value("loads", "result", "ok")).isEqualTo(cache.figures().loads());
    }
  }
}
