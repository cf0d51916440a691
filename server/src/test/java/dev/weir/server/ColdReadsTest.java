package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.block.BlockCache;
import dev.weir.cache.block.BlockCacheFigures;
import dev.weir.cache.block.BlockCacheOptions;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.objects.s3.S3ObjectStore;
import dev.weir.objects.s3.S3Options;
import dev.weir.objects.s3.testing.FakeS3;
import dev.weir.streams.AppendRequest;
import dev.weir.streams.CreateRequest;
import dev.weir.streams.LocalDisk;
import dev.weir.streams.Payload;
import dev.weir.streams.RangeReader;
import dev.weir.streams.StoreOptions;
import dev.weir.streams.Stream;
import dev.weir.streams.StreamState;
import dev.weir.streams.StreamStore;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What reads of old streams ask of a service that takes 20 ms for each request. Each test prints
 * its figures; {@code -Dweir.cold.mib=1024} makes the stream longer, {@code
 * -Dweir.cold.ahead.mib=4} lets less be fetched ahead, so that the service's latency is what
 * limits.
 */
class ColdReadsTest {
  private static final int MIB = 1 << 20;
  private static final int STREAM_MIB = Integer.getInteger("weir.cold.mib", 64);
  private static final int AHEAD_MIB = Integer.getInteger("weir.cold.ahead.mib", 16);
  private static final Duration LATENCY = Duration.ofMillis(20);

  @TempDir Path directory;
  private FakeS3 service;
  private Pool pool;
  private BlockCache blocks;
  private StreamStore store;

  @BeforeEach
  void flushAStream() throws Exception {
    service = new FakeS3();
    try (StreamStore written = open(null)) {
      written.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
      AppendRequest append = new AppendRequest("a", "text/plain", false, null, null);
      byte[] quarter = new byte[StreamStore.MAX_INLINE_BYTES];
      for (int i = 0; i < STREAM_MIB * (MIB / quarter.length); i++) {
        new Random(i).nextBytes(quarter);
        written.append(append, new Payload.Inline(ByteBuffer.wrap(quarter), () -> {})).join();
      }
    }
    pool = Pool.create(PoolOptions.withLimit(128 << 20));
    BlockCacheOptions usual = BlockCacheOptions.withCapacity((long) 64 * MIB);
    BlockCacheOptions options =
        new BlockCacheOptions(
            usual.name(),
            usual.capacityBytes(),
            usual.pageBytes(),
            (long) AHEAD_MIB * MIB,
            usual.aheadTime(),
            usual.priority(),
            usual.clock(),
            usual.later());
    blocks = BlockCache.create(pool, pool.rootBudget(), options);
    store = open(blocks);
    service.delay(LATENCY);
  }

  private StreamStore open(@Nullable BlockCache cache) throws IOException {
    S3Options options =
        S3Options.of(URI.create("s3://bucket"))
            .withEndpoint(service.endpoint())
            .withCredentials("key", "secret");
    return StreamStore.open(
        directory,
        new LocalDisk(),
        System::currentTimeMillis,
        StoreOptions.embedded().in(embedded -> S3ObjectStore.open(options)).with(null, cache));
  }

  @AfterEach
  void close() throws Exception {
    service.delay(Duration.ZERO);
    store.close();
    blocks.close();
    pool.close();
    service.close();
  }

  private StreamState state() {
    Stream stream = Objects.requireNonNull(store.find("a"));
    return stream.state();
  }

  private void read(long from, long to) throws IOException {
    ByteBuffer piece = ByteBuffer.allocate(64 << 10);
    try (RangeReader reader = store.read(state(), from, to)) {
      while (reader.remaining() > 0) {
        reader.read(piece.clear());
      }
    }
  }

  /** Ranges of segments that were asked for; each as often as it was. */
  private List<String> ranges(int since) {
    return service.seen().stream()
        .skip(since)
        .filter(request -> request.method().equals("GET") && request.key().startsWith("seg/"))
        .map(request -> request.key() + " " + request.header("range"))
        .toList();
  }

  @Test
  void manyReadersOfOneRangeAskForEachPageOnce() throws Exception {
    int since = service.seen().size();
    List<Future<Void>> readers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 64; i++) {
        readers.add(
            threads.submit(() -> {
              read(0, 8L * MIB);
              return null;
            }));
      }
      for (Future<Void> reader : readers) {
        reader.get();
      }
    }
    List<String> asked = ranges(since);
    System.out.printf(
        "64 readers of 8 MiB: %d reads of the service, %d different%n",
        asked.size(), Set.copyOf(asked).size());
    // Footers are not pages: two readers may both fetch one.
    assertThat(blocks.figures().loads()).isEqualTo(pagesIn(asked));
    assertThat(blocks.figures().misses() + blocks.figures().aheadLoadedBytes() / MIB)
        .isGreaterThanOrEqualTo(8);
  }

  private static long pagesIn(List<String> asked) {
    return asked.stream().filter(range -> isPage(range)).distinct().count();
  }

  private static boolean isPage(String range) {
    String[] ends = range.substring(range.indexOf('=') + 1).split("-", 2);
    return Long.parseLong(ends[0]) % MIB == 0
        && Long.parseLong(ends[1]) - Long.parseLong(ends[0]) > MIB / 2;
  }

  @Test
  void aReaderThatGoesForwardUsesWhatIsFetchedAhead() throws Exception {
    int _ = service.takeMostRunning();
    long start = System.nanoTime();
    read(0, state().tailOffset());
    double seconds = (System.nanoTime() - start) / 1e9;
    int most = service.takeMostRunning();
    BlockCacheFigures figures = blocks.figures();
    double ideal = (double) STREAM_MIB / most * LATENCY.toMillis() / 1e3;
    double useful = (double) figures.aheadUsefulBytes() / Math.max(1, figures.aheadLoadedBytes());
    System.out.printf(
        "sequential, %d MiB: %.2f s; %d requests at once allow %.2f s, or %.2f of that rate;"
            + " %.0f %% of readahead used%n",
        STREAM_MIB, seconds, most, ideal, ideal / seconds, 100 * useful);
    assertThat(most).isGreaterThan(1);
    assertThat(useful).isGreaterThanOrEqualTo(0.8);
  }

  @Test
  void readsAtRandomFetchNothingAhead() throws Exception {
    Random random = new Random(7);
    Set<Long> pages = new HashSet<>();
    for (int i = 0; i < 40; i++) {
      long offset = random.nextLong(state().tailOffset() - 4096) / 4096 * 4096;
      pages.add(offset / MIB);
      read(offset, offset + 4096);
    }
    long extra = blocks.figures().loadedBytes() - (long) pages.size() * MIB;
    System.out.printf(
        "40 random reads of 4 KiB: %d pages of 1 MiB, %.1f %% more was fetched%n",
        pages.size(), 100.0 * extra / ((double) pages.size() * MIB));
    assertThat(extra).isLessThanOrEqualTo(pages.size() * (long) MIB / 20);
  }
}
