package dev.weir.compression.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What contexts set aside is nobody else's burden. */
@Timeout(120)
class ContextMemoryTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final int MIB = 1 << 20;
  private static final int ROUNDS = 200;

  /** The purger is held up meanwhile: nothing is mended by its coming by. */
  @Test
  void whereItIsRefusedNobodyElseWaits() throws InterruptedException {
    try (Pool pool = Pool.create(PoolOptions.withLimit(16 * MIB))) {
      ContextMemory contexts = new ContextMemory(pool, pool.rootBudget());
      CountDownLatch busy = new CountDownLatch(1);
      CountDownLatch end = new CountDownLatch(1);
      Grant most = pool.grant(8 * MIB, LONG).join();
      CompletableFuture<Void> held =
          pool.grant(8 * MIB, LONG)
              .thenAccept(grant -> {
                grant.close();
                busy.countDown();
                awaitQuietly(end);
              });
      most.close();
      busy.await();
      try (Grant half = contexts.trySetAside(8 * MIB)) {
        assertThat(half).isNotNull();

        assertThat(contexts.trySetAside(8 * MIB)).isNull();

        CompletableFuture<Grant> next = pool.grant(MIB, Duration.ZERO);
        assertThat(next).isCompleted();
        next.join().close();
      } finally {
        end.countDown();
      }
      held.join();
      assertThat(pool.snapshot().promisedBytes()).isZero();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aClosedPoolSetsNothingAside() {
    Pool pool = Pool.create(PoolOptions.withLimit(16 * MIB));
    Budget budget = pool.rootBudget().child("contexts", Budget.UNLIMITED);
    ContextMemory contexts = new ContextMemory(pool, budget);
    try (Grant grant = contexts.trySetAside(100_000)) {
      assertThat(grant).isNotNull();
      assertThat(budget.chargedBytes()).isEqualTo(grant.bytes());
    }
    assertThat(budget.chargedBytes()).isZero();
    pool.close();
    assertThat(contexts.trySetAside(100_000)).isNull();
  }

  /** Each round closes the pool at another moment of asking. */
  @Test
  void aPoolThatIsClosedMeanwhileSetsNothingAside() throws InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      Pool pool = Pool.create(PoolOptions.withLimit(16 * MIB));
      ContextMemory contexts = new ContextMemory(pool, pool.rootBudget());
      CountDownLatch asked = new CountDownLatch(1);
      Thread closer = closerOf(pool, asked);
      Grant grant = contexts.trySetAside(100_000);
      asked.countDown();
      while (grant != null) {
        grant.close();
        grant = contexts.trySetAside(100_000);
      }
      closer.join();
      assertThat(pool.isClosed()).isTrue();
    }
  }

  @Test
  void aPoolThatIsClosedMeanwhileGivesNoBlocks() throws InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      Pool pool = Pool.create(PoolOptions.withLimit(16 * MIB));
      ContextMemory contexts = new ContextMemory(pool, pool.rootBudget());
      CountDownLatch asked = new CountDownLatch(1);
      Thread closer = closerOf(pool, asked);
      Block block = contexts.tryAllocate(100_000);
      asked.countDown();
      while (block != null) {
        block.release();
        block = contexts.tryAllocate(100_000);
      }
      closer.join();
      assertThat(pool.isClosed()).isTrue();
    }
  }

  private static Thread closerOf(Pool pool, CountDownLatch asked) {
    return Thread.ofPlatform()
        .start(() -> {
          awaitQuietly(asked);
          pool.close();
        });
  }
}
