package dev.weir.cache.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.testing.TestPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Cold reads of several consumers: hits at least those of LRU and FIFO, Belady's optimum beside.
 */
class HitRateTest {
  private static final int PAGE = 64 << 10;
  private static final int CACHE_PAGES = 128;
  private static final int READS = 40_000;
  private static final long PAGES = 10_000_000;

  static Stream<Arguments> traces() {
    List<Arguments> traces = new ArrayList<>();
    for (int consumers : new int[] {2, 4, 8}) {
      for (double span : new double[] {0.3, 0.5, 0.8, 0.95}) {
        traces.add(
            Arguments.of(
                "%d consumers within %.2f of the cache".formatted(consumers, span),
                following(new SplittableRandom(7), consumers, span)));
      }
    }
    traces.add(Arguments.of("skewed", skewed(new SplittableRandom(7))));
    traces.add(Arguments.of("hot pages beside a scan", hotAndScan(new SplittableRandom(7))));
    traces.add(Arguments.of("runs from common places", runs(new SplittableRandom(7))));
    traces.add(
        Arguments.of(
            "consumers, and skewed reads",
            alternating(
                following(new SplittableRandom(8), 4, 0.4), skewed(new SplittableRandom(9)), 1)));
    traces.add(
        Arguments.of(
            "consumers, then skewed reads, in turn",
            alternating(
                following(new SplittableRandom(8), 2, 0.8),
                skewed(new SplittableRandom(9)),
                READS / 10)));
    return traces.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("traces")
  void hitsAreAtLeastThoseOfLruAndFifo(String name, long[] trace) {
    double found = cacheHits(trace);
    double lru = queueHits(trace, /* accessOrder= */ true);
    double fifo = queueHits(trace, /* accessOrder= */ false);
    System.out.printf(
        "%s: %.3f, LRU %.3f, FIFO %.3f, optimum %.3f%n", name, found, lru, fifo, optimum(trace));

    assertThat(found).isGreaterThanOrEqualTo(0.99 * Math.max(lru, fifo));
  }

  private static double cacheHits(long[] trace) {
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
    try (TestPool pool = new TestPool(32 << 20);
        BlockCache cache =
            BlockCache.create(
                pool.pool,
                pool.parent,
                BlockCacheOptions.withCapacity(CACHE_PAGES * PAGE).withPageBytes(PAGE))) {
      BlockObject object = new BlockObject(source, "object", PAGES * PAGE);
      for (long page : trace) {
        cache.read(object, page * PAGE, 1).join().release();
      }
      cache.checkInvariants();
      return (double) cache.figures().hits() / trace.length;
    }
  }

  private static double queueHits(long[] trace, boolean accessOrder) {
    Map<Long, Boolean> pages = new LinkedHashMap<>(16, 0.75f, accessOrder);
    int hits = 0;
    for (long page : trace) {
      if (pages.get(page) != null) {
        hits++;
      } else {
        pages.put(page, true);
        if (pages.size() > CACHE_PAGES) {
          pages.remove(pages.keySet().iterator().next());
        }
      }
    }
    return (double) hits / trace.length;
  }

  /** Of all pages, the one that is needed last goes. */
  private static double optimum(long[] trace) {
    int[] next = new int[trace.length];
    Map<Long, Integer> seen = new HashMap<>();
    for (int i = trace.length - 1; i >= 0; i--) {
      Integer later = seen.put(trace[i], i);
      next[i] = later == null ? trace.length + i : later;
    }
    TreeSet<Integer> kept = new TreeSet<>();
    int hits = 0;
    for (int i = 0; i < trace.length; i++) {
      if (kept.remove(i)) {
        hits++;
      } else if (kept.size() == CACHE_PAGES) {
        kept.pollLast();
      }
      kept.add(next[i]);
    }
    return (double) hits / trace.length;
  }

  /** Consumers of one log, each some pages behind the first. */
  private static long[] following(SplittableRandom random, int consumers, double span) {
    int[] behind = new int[consumers];
    for (int i = 1; i < consumers; i++) {
      behind[i] = 1 + random.nextInt((int) (CACHE_PAGES * span));
    }
    long[] trace = new long[READS];
    for (int i = 0; i < READS; i++) {
      trace[i] = CACHE_PAGES + i / consumers - behind[i % consumers];
    }
    return trace;
  }

  /** A few pages are read often, many seldom. */
  private static long[] skewed(SplittableRandom random) {
    double[] upTo = new double[CACHE_PAGES * 10];
    double sum = 0;
    for (int i = 0; i < upTo.length; i++) {
      sum += 1 / Math.pow(i + 1, 0.9);
      upTo[i] = sum;
    }
    long[] trace = new long[READS];
    for (int i = 0; i < READS; i++) {
      int found = java.util.Arrays.binarySearch(upTo, random.nextDouble() * sum);
      trace[i] = found < 0 ? -found - 1 : found;
    }
    return trace;
  }

  private static long[] hotAndScan(SplittableRandom random) {
    long[] trace = new long[READS];
    for (int i = 0; i < READS; i++) {
      trace[i] = i % 3 == 0 ? random.nextInt(CACHE_PAGES / 2) : 1_000_000 + i;
    }
    return trace;
  }

  /** Sixteen consumers of four logs begin where others have begun, or anywhere. */
  private static long[] runs(SplittableRandom random) {
    long[] trace = new long[READS];
    long[] next = new long[16];
    int[] left = new int[16];
    for (int i = 0; i < READS; i++) {
      int consumer = random.nextInt(16);
      if (left[consumer] == 0) {
        next[consumer] =
            random.nextInt(4) * 1_000_000L
                + (random.nextInt(3) == 0
                    ? random.nextInt(CACHE_PAGES * 8)
                    : random.nextInt(8) * 64L);
        left[consumer] = 64 + random.nextInt(448);
      }
      trace[i] = next[consumer]++;
      left[consumer]--;
    }
    return trace;
  }

  private static long[] alternating(long[] first, long[] second, int length) {
    long[] trace = new long[READS];
    int[] at = new int[2];
    for (int i = 0; i < READS; i++) {
      trace[i] = i / length % 2 == 0 ? first[at[0]++] : 5_000_000 + second[at[1]++];
    }
    return trace;
  }
}
