package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Grants that wait. The pool's decay is a day: nothing here is brought about by a tick. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class GrantQueueTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofSeconds(60);

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(8 << 20).withDecay(Duration.ofDays(1)).withNativeMemory(os));

  @AfterEach
  void nothingIsLeftPromised() {
    Await.until(() -> pool.snapshot().promisedBytes() == 0, () -> pool.snapshot().toString());
    assertThat(pool.liveBlockBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    Await.untilPasses(pool::checkInvariants);
    pool.close();
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  private static Grant granted(CompletableFuture<Grant> future) {
    assertThat(future).succeedsWithin(SOON);
    return future.join();
  }

  @Test
  void grantsAreServedInTheOrderOfTheirArrival() {
    Grant first = granted(pool.grant(6 << 20, LONG));
    Queue<Integer> order = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<Grant>> waiting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int place = i;
      CompletableFuture<Grant> future = pool.grant(3 << 20, LONG);
      future.thenAccept(grant -> {
        order.add(place);
        grant.close();
      });
      waiting.add(future);
    }
    first.close();

    // Whoever waits for a future may run what depends on it: only the purger's order counts.
    Await.until(() -> order.size() == 20, order::toString);
    waiting.forEach(GrantQueueTest::granted);
    assertThat(List.copyOf(order)).isSorted();
  }

  @Test
  void oneThatALoweredLimitCanNeverServeHoldsNobodyUp() {
    Grant first = granted(pool.grant(4 << 20, LONG));
    CompletableFuture<Grant> giant = pool.grant(6 << 20, LONG);
    CompletableFuture<Grant> small = pool.grant(8_192, LONG);

    pool.setLimitBytes(6 << 20);

    assertThat(giant)
        .failsWithin(SOON)
        .withThrowableThat()
        .withCauseInstanceOf(BudgetExceededError.class);
    granted(small).close();
    first.close();
  }

  @Test
  void nobodyOvertakesTheOneAtTheHead() {
    Grant first = granted(pool.grant(4 << 20, LONG));
    CompletableFuture<Grant> giant = pool.grant(6 << 20, LONG);
    CompletableFuture<Grant> small = pool.grant(100_000, LONG);
    Block noise = pool.allocate(100_000);
    noise.release();

    assertThat(small).isNotDone();
    assertThat(giant).isNotDone();
    first.close();
    Grant second = granted(giant);
    granted(small).close();
    second.close();
  }

  @Test
  void releasedBlocksMakeRoom() {
    List<Block> blocks = new ArrayList<>();
    for (Block block = pool.tryAllocate(500_000); block != null; ) {
      blocks.add(block);
      block = pool.tryAllocate(500_000);
    }
    CompletableFuture<Grant> future = pool.grant(5 << 20, LONG);
    assertThat(future).isNotDone();

    blocks.forEach(Block::release);

    granted(future).close();
  }

  /** Free pages inside slabs are no reason to wait. */
  @Test
  void pagesInsideSlabsMakeRoom() {
    List<Block> blocks = new ArrayList<>();
    for (Block block = pool.tryAllocate(65_536); block != null; ) {
      blocks.add(block);
      block = pool.tryAllocate(65_536);
    }
    CompletableFuture<Grant> future = pool.grant(5 << 20, LONG);
    List<Block> kept = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      if (i % 8 == 0) {
        kept.add(blocks.get(i));
      } else {
        blocks.get(i).release();
      }
    }

    granted(future).close();
    kept.forEach(Block::release);
  }

  @Test
  void aDeadlineThatPassesFailsTheFuture() {
    Grant first = granted(pool.grant(6 << 20, LONG));
    CompletableFuture<Grant> late = pool.grant(6 << 20, Duration.ofMillis(30));
    CompletableFuture<Grant> behind = pool.grant(500_000, LONG);

    assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(TimeoutException.class);
    granted(behind).close();
    first.close();
  }

  @Test
  void aCancelledRequestMakesWayForThoseBehindIt() {
    Grant first = granted(pool.grant(4 << 20, LONG));
    CompletableFuture<Grant> giant = pool.grant(6 << 20, LONG);
    CompletableFuture<Grant> behind = pool.grant(1 << 20, LONG);
    CompletableFuture<Grant> late = pool.grant(1 << 20, Duration.ofMillis(30));
    Await.until(late::isDone, () -> "the purger to have seen all three");

    assertThat(giant.cancel(false)).isTrue();

    granted(behind).close();
    assertThatThrownBy(giant::join).isInstanceOf(CancellationException.class);
    first.close();
  }

  /** Whoever loses the race, no promise is lost. */
  @Test
  void cancellingRacesWithCompletion() throws InterruptedException {
    Queue<CompletableFuture<Grant>> waiting = new ConcurrentLinkedQueue<>();
    Workers workers = new Workers();
    for (int i = 0; i < 2; i++) {
      int seed = i;
      workers.platform(() -> {
        SplittableRandom random = new SplittableRandom(seed);
        for (int n = 0; n < 3_000; n++) {
          CompletableFuture<Grant> future = pool.grant(1 + random.nextLong(4 << 20), LONG);
          if (random.nextBoolean() && future.cancel(false)) {
            continue;
          }
          future.thenAccept(Grant::close);
          waiting.add(future);
        }
      });
    }
    workers.platform(() -> {
      for (int n = 0; n < 3_000; n++) {
        CompletableFuture<Grant> future = waiting.poll();
        if (future != null && n % 2 == 0) {
          future.cancel(false);
        }
        pool.allocate(20_000).release();
      }
    });
    workers.join();
    for (CompletableFuture<Grant> future : waiting) {
      Await.until(future::isDone, () -> pool.snapshot().toString());
    }
  }
}
