package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.TouchedPages;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
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
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }
}
