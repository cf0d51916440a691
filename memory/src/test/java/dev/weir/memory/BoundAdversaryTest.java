package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.TouchedPages;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Phaser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Robson's adversary against a whole pool: slots of slabs first, then runs. */
class BoundAdversaryTest {
  private final FakeNativeMemory os = new FakeNativeMemory();

  @ParameterizedTest
  @ValueSource(longs = {4, 16, 64})
  void powersOfTwoInPhases(long limitMib) {
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(limitMib << 20)
                .withDecay(Duration.ofDays(1))
                .withNativeMemory(os));
    PowersOfTwo[] program = new PowersOfTwo[1];
    program[0] =
        new PowersOfTwo(
            pool,
            size ->
                assertThat(program[0].touched().bytes() + TouchedPages.neededBytes(size))
                    .as(() -> "refused: %,d bytes%n%s".formatted(size, pool.snapshot()))
                    .isGreaterThan(pool.limitBytes() - pool.slackBytes()));
    program[0].run();
    double times = (double) program[0].runsSpreadBytes() / pool.limitBytes();
    System.out.printf(
        "powers of two: a limit of %,d MiB, runs spread over %.2f times of it%n", limitMib, times);
    assertThat(times).as("the program is one worth surviving").isGreaterThan(1.3);
    program[0].releaseAll();
    BoundSession.end(pool, os);
  }

  /**
   * Each thread runs the program within its share of the bound, all in the same phase, so that all
   * of it must be served.
   */
  @ParameterizedTest(name = "{0} threads, every second one with a heap: {1}")
  @CsvSource({"2,false", "2,true", "4,true", "8,true"})
  void severalAtOnce(int threads, boolean heaps) throws InterruptedException {
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(64 << 20).withDecay(Duration.ofDays(1)).withNativeMemory(os));
    long shareBytes = (pool.limitBytes() - pool.slackBytes()) / threads;
    List<PowersOfTwo> programs = new CopyOnWriteArrayList<>();
    Phaser phases = new Phaser(threads);
    Workers workers = new Workers();
    for (int i = 0; i < threads; i++) {
      boolean hasHeap = heaps && i % 2 == 0;
      workers.platform(() -> {
        OwnedHeap heap = hasHeap ? pool.support().ownedHeap(task -> {}) : null;
        try {
          programs.add(runWithin(shareBytes, pool, heap, phases));
        } finally {
          phases.arriveAndDeregister();
        }
        if (heap != null) {
          heap.close();
        }
      });
    }
    workers.join();
    long begin = programs.stream().mapToLong(PowersOfTwo::runsBegin).min().orElseThrow();
    long end = programs.stream().mapToLong(PowersOfTwo::runsEnd).max().orElseThrow();
    double times = (double) (end - begin) / pool.limitBytes();
    System.out.printf(
        "powers of two by %d threads: runs spread over %.2f times the limit%n", threads, times);
    assertThat(programs).hasSize(threads);
    assertThat(times).as("the programs are worth surviving").isGreaterThan(1.3);
    assertThat(pool.peakResidentBytes()).isGreaterThan(pool.limitBytes() * 7 / 8);
    programs.forEach(PowersOfTwo::releaseAll);
    BoundSession.end(pool, os);
  }

  private static PowersOfTwo runWithin(
      long shareBytes, Pool pool, @Nullable OwnedHeap heap, Phaser phases) {
    PowersOfTwo[] program = new PowersOfTwo[1];
    program[0] =
        new PowersOfTwo(
            size -> {
              if (program[0].touched().bytes() + TouchedPages.neededBytes(size) > shareBytes) {
                return null;
              }
              Block block =
                  heap == null
                      ? pool.tryAllocate(size)
                      : pool.support().tryAllocateBlock(heap, size, pool.rootBudget());
              assertThat(block)
                  .as(() -> "refused: %,d bytes%n%s".formatted(size, pool.snapshot()))
                  .isNotNull();
              return block;
            },
            shareBytes / 2,
            size -> phases.arriveAndAwaitAdvance());
    program[0].run();
    return program[0];
  }
}
