package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever waits for a grant hears of everything that ends the wait. */
@Timeout(120)
class WaitingGrantsTest {
  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  /** So long a decay that only an event can wake the purger in time. */
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(16L << 20).withDecay(Duration.ofHours(1)));

  @Test
  void closingThePoolFailsThem() {
    Block block = pool.allocate(12 << 20);
    CompletableFuture<Grant> waiting = pool.grant(8 << 20, FOR_EVER);
    assertThat(waiting).isNotDone();

    block.release();
    pool.close();

    // Granted by the release or failed by the close, but never left alone.
    waiting.handle((grant, failure) -> grant).join();
    assertThatThrownBy(() -> pool.grant(4096, FOR_EVER)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aWithdrawnRequestMakesWayForThoseBehindIt() throws Exception {
    Block block = pool.allocate(8 << 20);
    CompletableFuture<Grant> giant = pool.grant(12 << 20, FOR_EVER);
    CompletableFuture<Grant> small = pool.grant(1 << 20, FOR_EVER);
    assertThat(small).isNotDone();

    giant.cancel(false);

    small.get(60, TimeUnit.SECONDS).close();
    block.release();
    pool.close();
  }

  @Test
  void closingFailsARequestThatNothingElseWouldEnd() {
    Block block = pool.allocate(12 << 20);
    CompletableFuture<Grant> waiting = pool.grant(8 << 20, FOR_EVER);

    pool.close();

    assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is closed");
    block.release();
  }

  @Test
  void aRefusalThatNoPurgeCanHelpPurgesNothing() {
    pool.allocate(1 << 20).release();
    long dirty = pool.dirtyBytes();
    assertThat(dirty).isPositive();
    Budget tiny = pool.rootBudget().child("tiny", 0);

    assertThat(pool.tryAllocate(100, tiny)).isNull();
    assertThat(pool.tryAllocate(1L << 40)).isNull();

    assertThat(pool.dirtyBytes()).isEqualTo(dirty);
    pool.close();
  }
}
