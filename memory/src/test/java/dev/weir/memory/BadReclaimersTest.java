package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Logged;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reclaimers that throw, block, lie or re-enter: the pool goes on, and asks the others. */
@Timeout(120)
class BadReclaimersTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int MIB = 1 << 20;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(16 * MIB).withName("p").withDecay(Duration.ofMillis(50)));
  private final Budget cache = pool.rootBudget().child("cache", Budget.UNLIMITED);
  private final Deque<Block> cached = new ArrayDeque<>();

  /** Leaves less than 3 MiB free. */
  private synchronized void fill() {
    pool.trim();
    while (pool.liveBytes() < 13 * MIB) {
      cached.add(pool.allocate(MIB, cache));
    }
  }

  private synchronized long evictOne() {
    Block block = cached.poll();
    if (block == null) {
      return 0;
    }
    block.release();
    return MIB;
  }

  @AfterEach
  void everythingGoesBack() {
    while (evictOne() > 0) {}
    Await.until(() -> pool.residentBytes() == 0, () -> "no purge: " + pool.snapshot());
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void oneThatThrowsIsLoggedOnceAndTheNextIsAsked() {
    try (Logged logged = new Logged("dev.weir.memory.callback")) {
      pool.addReclaimer(
          cache,
          0,
          bytes -> {
            throw new AssertionError("planted");
          });
      pool.addReclaimer(cache, 1, bytes -> evictOne());
      for (int i = 0; i < 3; i++) {
        fill();
        pool.allocate(4 * MIB).release();
      }
      fill();
      CompletableFuture<Grant> grant = pool.grant(4 * MIB, LONG);
      assertThat(grant).succeedsWithin(SOON);
      grant.join().close();

      assertThat(logged.records()).hasSize(1);
      assertThat(logged.records().getFirst().getMessage())
          .startsWith("a reclaimer of budget 'p/cache' failed");
      assertThat(logged.records().getFirst().getThrown()).hasMessage("planted");
    }
  }

  /** It blocks one of the threads that ask it, and for a moment another. */
  @Test
  void oneThatBlocksHoldsUpWhoAsksItAlone() throws InterruptedException {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    pool.addReclaimer(
        cache,
        0,
        bytes -> {
          blocked.countDown();
          try {
            goOn.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          return 0;
        });
    pool.addReclaimer(cache, 1, bytes -> evictOne());
    fill();
    Thread stuck = Thread.ofPlatform().start(() -> pool.allocate(4 * MIB).release());
    blocked.await();

    pool.allocate(4 * MIB).release();
    fill();
    CompletableFuture<Grant> grant = pool.grant(4 * MIB, LONG);
    assertThat(grant).succeedsWithin(SOON);
    grant.join().close();
    Await.until(() -> pool.dirtyBytes() == 0, () -> "no purge: " + pool.snapshot());
    assertThat(stuck.isAlive()).isTrue();

    goOn.countDown();
    stuck.join();
  }

  /** The thread that it blocks is one of the pool's. */
  @Test
  void oneThatBlocksWhileGrantsWaitHoldsUpNobody() {
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger inside = new AtomicInteger();
    pool.addReclaimer(
        cache,
        0,
        bytes -> {
          inside.incrementAndGet();
          try {
            goOn.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          return 0;
        });
    pool.addReclaimer(cache, 1, bytes -> evictOne());
    fill();
    for (int i = 0; i < 3; i++) {
      CompletableFuture<Grant> grant = pool.grant(4 * MIB, LONG);
      assertThat(grant).succeedsWithin(SOON);
      grant.join().close();
      fill();
    }
    assertThat(inside).hasValue(1);
    goOn.countDown();
  }

  @Test
  void oneThatClaimsToHaveReleasedIsAskedAFewTimes() {
    AtomicInteger asked = new AtomicInteger();
    pool.addReclaimer(
        cache,
        0,
        bytes -> {
          asked.incrementAndGet();
          return Long.MAX_VALUE;
        });
    fill();

    assertThat(pool.tryAllocate(4 * MIB)).isNull();

    assertThat(asked).hasValue(Reclaimers.MAX_ASKS);
  }

  @Test
  void oneThatReentersIsAnswered() {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicInteger depth = new AtomicInteger();
    Budget temporary = pool.rootBudget().child("temporary", MIB);
    Block charged = pool.allocate(4_096, temporary);
    pool.addReclaimer(
        cache,
        0,
        bytes -> {
          if (!cached.isEmpty()) {
            try {
              assertThat(depth.incrementAndGet()).as("asked for its own request").isEqualTo(1);
              assertThat(pool.tryAllocate(8 * MIB)).isNull();
              assertThat(pool.grant(4 * MIB, Duration.ZERO)).isNotNull();
              temporary.close();
              cache.setLimitBytes(100L * MIB);
              pool.addReclaimer(cache, 7, more -> 0).close();
              pool.setLimitBytes(pool.limitBytes());
              pool.trim();
            } catch (Throwable e) {
              failure.compareAndSet(null, e);
            } finally {
              depth.decrementAndGet();
            }
          }
          return evictOne();
        });
    fill();

    pool.allocate(4 * MIB).release();

    assertThat(failure.get()).isNull();
    charged.release();
  }
}
