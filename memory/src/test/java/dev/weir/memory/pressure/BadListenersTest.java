package dev.weir.memory.pressure;

import static dev.weir.memory.pressure.Pressure.CRITICAL;
import static dev.weir.memory.pressure.Pressure.HIGH;
import static dev.weir.memory.pressure.Pressure.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Logged;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners that throw, block or re-enter: the pool goes on. */
@Timeout(120)
class BadListenersTest {
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(16 << 20).withDecay(Duration.ofMillis(50)).withName("p"));
  private final Budget feature = pool.rootBudget().child("feature", 1 << 20);
  private final Levels levels = new Levels();

  @AfterEach
  void allIsReleased() {
    Await.until(() -> pool.dirtyBytes() == 0, () -> "no purge: " + pool.snapshot());
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  /** Up to CRITICAL and down again. */
  private void raiseAndLower() {
    Block block = pool.allocate(1 << 20, feature);
    levels.awaitLast(CRITICAL);
    block.release();
    levels.awaitLast(NONE);
  }

  @Test
  void oneThatThrowsIsLoggedOnceAndCalledAgain() {
    AtomicInteger calls = new AtomicInteger();
    try (Logged logged = new Logged("dev.weir.memory.callback")) {
      feature.addPressureListener(level -> {
        calls.incrementAndGet();
        throw new AssertionError("planted");
      });
      feature.addPressureListener(levels);
      for (int i = 1; i <= 3; i++) {
        int expected = 2 * i;
        Block block = pool.allocate(1 << 20, feature);
        Await.until(() -> calls.get() == expected - 1, () -> calls + " calls");
        levels.awaitLast(CRITICAL);
        block.release();
        Await.until(() -> calls.get() == expected, () -> calls + " calls");
        levels.awaitLast(NONE);
      }

      assertThat(logged.records()).hasSize(1);
      assertThat(logged.records().getFirst().getMessage())
          .isEqualTo(
              "a pressure listener of budget 'p/feature' failed; it will be called again, further"
                  + " failures are not logged");
      assertThat(logged.records().getFirst().getThrown()).hasMessage("planted");
    }
  }

  @Test
  void oneThatBlocksHoldsUpNobodyAndIsThenToldOfNow() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Levels late = new Levels();
    feature.addPressureListener(level -> {
      late.pressureChanged(level);
      begun.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
    feature.addPressureListener(levels);
    for (int i = 0; i < 5; i++) {
      raiseAndLower();
    }
    begun.await();
    Await.until(() -> pool.dirtyBytes() == 0, () -> "no purge: " + pool.snapshot());
    pool.grant(1 << 20, Duration.ZERO).join().close();
    feature.setSoftLimitBytes(0);
    levels.awaitLast(HIGH);
    assertThat(late.all()).containsExactly(CRITICAL);

    goOn.countDown();
    late.awaitLast(HIGH);
    assertThat(late.all()).containsExactly(CRITICAL, HIGH);
  }

  @Test
  void oneThatReentersIsAnswered() {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Levels inner = new Levels();
    Budget other = pool.rootBudget().child("other", 2 << 20);
    feature.addPressureListener(level -> {
      try {
        if (level == CRITICAL) {
          assertThat(feature.pressure()).isEqualTo(CRITICAL);
          assertThat(pool.tryAllocate(1 << 20, feature)).isNull();
          pool.allocate(3 << 20).release();
          Block block = pool.allocate(2 << 20, other);
          other.addPressureListener(inner);
          other.close();
          block.release();
          feature.setLimitBytes(2 << 20);
          pool.setLimitBytes(8 << 20);
          pool.setLimitBytes(16 << 20);
          pool.trim();
        }
      } catch (Throwable e) {
        failure.set(e);
      }
    });
    feature.addPressureListener(levels);
    Block block = pool.allocate(1 << 20, feature);
    Await.until(() -> feature.limitBytes() == 2 << 20, () -> "no call: " + failure);
    levels.awaitLast(NONE);
    block.release();

    assertThat(failure.get()).isNull();
    // It is told by a thread of its own, perhaps of both levels, perhaps of neither.
    inner.awaitLast(NONE);
  }

  /** Many threads move a budget through its levels: no listener misses the last. */
  @Test
  void theLastLevelIsAlwaysTold() throws InterruptedException {
    feature.addPressureListener(levels);
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          Thread.ofPlatform()
              .start(() -> {
                for (int n = 0; n < 2_000; n++) {
                  Block block = pool.tryAllocate(256 << 10, feature);
                  if (block != null) {
                    block.release();
                  }
                }
              });
    }
    for (Thread thread : threads) {
      thread.join();
    }
    levels.awaitLast(NONE);
    raiseAndLower();
  }
}
