package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.block.BlockCache;
import dev.weir.cache.block.BlockCacheOptions;
import dev.weir.cache.log.LogCache;
import dev.weir.cache.log.LogCacheOptions;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.streams.testing.MapStore;
import dev.weir.streams.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random changes, flushes, kills and starts against a map of strings: with the newest bytes in
 * memory, and without.
 */
class StreamStoreModelTest {
  private static final int STEPS = 150;
  private static final int STREAMS = 6;

  private static final int SEEDS = 2;

  @TempDir Path temporary;
  private Path directory;
  private int runs;
  private final Map<String, String> model = new TreeMap<>();
  private SplittableRandom random;
  private StoreFixture fixture;
  private @Nullable LogCache tail;
  private @Nullable BlockCache blocks;
  private @Nullable MapStore remote;

  @Test
  void everyStreamReadsAsItsModelWithoutMemory() {
    Seeds.forSeeds(StreamStoreModelTest.class, SEEDS, random -> run(random, /* pool= */ null));
  }

  @Test
  void everyStreamReadsAsItsModelFromASmallTail() {
    Seeds.forSeeds(
        StreamStoreModelTest.class,
        SEEDS,
        random -> {
          try (Pool pool = Pool.create(PoolOptions.withLimit(8 << 20))) {
            run(random, pool);
            assertThat(pool.liveBlockBytes()).isZero();
          }
        });
  }

  @Test
  void everyStreamReadsAsItsModelFromARemoteStore() {
    Seeds.forSeeds(
        StreamStoreModelTest.class,
        SEEDS,
        random -> {
          remote = new MapStore();
          try (Pool pool = Pool.create(PoolOptions.withLimit(8 << 20))) {
            run(random, pool);
            assertThat(pool.liveBlockBytes()).isZero();
          }
        });
  }

  private void run(SplittableRandom choices, @Nullable Pool pool) throws IOException {
    random = choices;
    model.clear();
    directory = temporary.resolve("run" + runs++);
    open(pool);
    try {
      for (int step = 0; step < STEPS; step++) {
        step(pool);
        String path = "s" + random.nextInt(STREAMS);
        if (model.containsKey(path)) {
          checkARange(path, "step " + step);
        }
      }
      close();
      open(pool);
      for (String path : model.keySet()) {
        assertThat(fixture.read(path)).as(path).isEqualTo(model.get(path));
      }
    } finally {
      close();
    }
  }

  private void open(@Nullable Pool pool) throws IOException {
    tail =
        pool == null
            ? null
            : LogCache.create(
                pool,
                pool.rootBudget(),
                LogCacheOptions.withCapacity(1 << 20).withPinnedBytes(1 << 20));
    StoreOptions options =
        StoreOptions.embedded().flushing(Duration.ofHours(1), /* bytes= */ 100_000, Long.MAX_VALUE);
    MapStore elsewhere = remote;
    if (elsewhere == null || pool == null) {
      fixture = new StoreFixture(directory, options.with(tail, null));
    } else {
      BlockCache pages =
          BlockCache.create(pool, pool.rootBudget(), BlockCacheOptions.withCapacity(2 << 20));
      blocks = pages;
      fixture = new StoreFixture(directory, options.with(tail, pages).in(embedded -> elsewhere));
    }
  }

  private void close() throws IOException {
    fixture.close();
    if (tail != null) {
      tail.checkInvariants();
      tail.close();
    }
    if (blocks != null) {
      blocks.checkInvariants();
      blocks.close();
      blocks = null;
    }
  }

  private void step(@Nullable Pool pool) throws IOException {
    String path = "s" + random.nextInt(STREAMS);
    switch (random.nextInt(20)) {
      case 0 -> delete(path);
      case 1 -> fork(path);
      case 2 -> fixture.store.flush().join();
      case 3 -> {
        // Whether it is through when the kill comes is up to the threads.
        CompletableFuture<Void> _ = fixture.store.flush();
      }
      case 4 -> {
        if (remote == null) {
          // The remote store would not go back in time with the directory.
          fixture.kill();
        }
        close();
        open(pool);
      }
      case 5, 6 -> appendSpooled(path);
      default -> append(path);
    }
  }

  /** False where a deleted source of forks keeps the path. */
  private boolean create(String path) {
    if (!model.containsKey(path)) {
      CreateOutcome outcome = fixture.create(path);
      if (outcome instanceof CreateOutcome.Conflict) {
        return false;
      }
      assertThat(outcome).isInstanceOf(CreateOutcome.Created.class);
      model.put(path, "");
    }
    return true;
  }

  private String text(int mostBytes) {
    char letter = (char) ('a' + random.nextInt(26));
    return String.valueOf(letter).repeat(1 + random.nextInt(mostBytes)) + random.nextInt(1000);
  }

  private void append(String path) throws IOException {
    if (!create(path)) {
      return;
    }
    String text = text(random.nextInt(10) == 0 ? 60_000 : 200);
    added(path, text, fixture.append(path, text));
  }

  private void appendSpooled(String path) throws IOException {
    if (!create(path)) {
      return;
    }
    String text = text(90_000);
    Spool spool = fixture.store.spool();
    spool.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    added(
        path,
        text,
        fixture.append(new AppendRequest(path, "text/plain", false, null, null), spool.finish()));
  }

  private void added(String path, String text, AppendOutcome outcome) {
    String after = model.get(path) + text;
    assertThat(outcome).isEqualTo(new AppendOutcome.Appended(after.length(), false));
    model.put(path, after);
  }

  private void delete(String path) {
    boolean known = model.remove(path) != null;
    DeleteOutcome outcome = fixture.store.delete(path).join();
    if (known) {
      assertThat(outcome).isEqualTo(DeleteOutcome.DELETED);
    }
  }

  private void fork(String source) {
    if (!model.containsKey(source)) {
      return;
    }
    String content = model.get(source);
    int point = random.nextInt(content.length() + 1);
    String path = "fork" + random.nextInt(1_000_000);
    CreateRequest request =
        new CreateRequest(
            path,
            null,
            StreamConfig.NONE,
            null,
            StreamConfig.NONE,
            false,
            CreateRequest.ForkRequest.of(source, point, 0)
                .resolved(fixture.state(source).streamId(), point));
    assertThat(fixture.store.create(request, new Payload.None()).join())
        .isInstanceOf(CreateOutcome.Created.class);
    model.put(path, content.substring(0, point));
  }

  private void checkARange(String path, String where) {
    String expected = model.get(path);
    int from = random.nextInt(expected.length() + 1);
    int to = from + random.nextInt(expected.length() - from + 1);
    assertThat(fixture.read(fixture.state(path), from, to))
        .as("%s: %s from %d to %d", where, path, from, to)
        .isEqualTo(expected.substring(from, to));
  }
}
