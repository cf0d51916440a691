package dev.weir.memory.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.Workers;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BiasedLockTest {
  private static final int BIAS_AFTER = 4;
  private static final int ROUNDS = 50_000;
  private static final int TURNS = 200;

  private final BiasedLock lock = new BiasedLock(BIAS_AFTER);

  @Test
  void isBiasedTowardsTheThreadThatTakesItOften() throws InterruptedException {
    takeOften();

    assertThat(elsewhere(lock::tryLock)).isFalse();
    assertThat(lock.tryLock()).isTrue();
    lock.unlock();
  }

  @Test
  void isNotBiasedWhereThreadsTakeTurns() throws InterruptedException {
    for (int i = 0; i < BIAS_AFTER; i++) {
      take();
      assertThat(elsewhere(this::take)).isTrue();
    }
  }

  @Test
  void isNeverBiasedTowardsAVirtualThread() throws InterruptedException {
    Workers workers = new Workers();
    workers.virtual(this::takeOften);
    workers.join();

    assertThat(lock.tryLock()).isTrue();
  }

  @Test
  void isTakenOverFromAThreadThatHasLeft() throws InterruptedException {
    takeOften();

    assertThat(
            elsewhere(() -> {
              boolean taken = lock.tryTakeOver();
              lock.unlock();
              return taken;
            }))
        .isTrue();
    assertThat(elsewhere(this::take)).as("no bias is left").isTrue();
    assertThat(take()).isTrue();
  }

  @Test
  void isNotTakenOverFromAThreadAtWork() throws InterruptedException {
    takeOften();
    assertThat(lock.tryLock()).isTrue();

    assertThat(elsewhere(lock::tryTakeOver)).isFalse();

    lock.unlock();
    assertThat(elsewhere(lock::tryTakeOver)).isTrue();
  }

  @Test
  void isNotGivenTwiceToTheOwnerInside() {
    takeOften();
    assertThat(lock.tryLock()).isTrue();

    assertThat(lock.tryLock()).isFalse();

    lock.unlock();
    assertThat(take()).isTrue();
  }

  @Test
  void isBiasedAgainAfterItWasTakenOver() throws InterruptedException {
    takeOften();
    assertThat(
            elsewhere(() -> {
              lock.tryLock(Long.MAX_VALUE);
              lock.unlock();
              return true;
            }))
        .isTrue();

    takeOften();

    assertThat(elsewhere(lock::tryLock)).isFalse();
  }

  /** Who takes it again and again does not take it before one that waits however long it takes. */
  @Test
  void goesToWhoeverWaitsBeforeThoseThatNeedNot() throws InterruptedException {
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger turns = new AtomicInteger();
    Workers workers = new Workers();
    lock.lock();
    workers.platform(() -> {
      for (int i = 0; i < TURNS; i++) {
        while (begun.get() <= i) {
          Thread.onSpinWait();
        }
        lock.lock();
        turns.incrementAndGet();
        lock.unlock();
      }
    });
    for (int i = 1; i <= TURNS; i++) {
      begun.set(i);
      while (!lock.isAwaited()) {
        Thread.onSpinWait();
      }
      lock.unlock();
      while (!(i % 2 == 0 ? lock.tryTakeOver() : lock.tryLock(TimeUnit.MINUTES.toNanos(1)))) {
        Thread.onSpinWait();
      }
      assertThat(turns).hasValue(i);
    }
    lock.unlock();
    workers.join();
  }

  /** One that is biased most of the time, others that take it over: nothing is lost. */
  @Test
  void onlyOneHasItAtATime() throws InterruptedException {
    long[] guarded = new long[1];
    Workers workers = new Workers();
    workers.platform(() -> {
      for (int i = 0; i < 10 * ROUNDS; i++) {
        if (!lock.tryLock()) {
          lock.tryLock(Long.MAX_VALUE);
        }
        guarded[0]++;
        lock.unlock();
      }
    });
    workers.platform(() -> {
      for (int i = 0; i < ROUNDS; i++) {
        lock.tryLock(Long.MAX_VALUE);
        guarded[0]++;
        lock.unlock();
      }
    });
    workers.virtual(() -> {
      for (int i = 0; i < ROUNDS; i++) {
        lock.tryLock(Long.MAX_VALUE);
        guarded[0]++;
        lock.unlock();
      }
    });
    workers.join();

    assertThat(guarded[0]).isEqualTo(12L * ROUNDS);
  }

  private void takeOften() {
    for (int i = 0; i < BIAS_AFTER; i++) {
      assertThat(take()).isTrue();
    }
  }

  private boolean take() {
    boolean taken = lock.tryLock();
    if (taken) {
      lock.unlock();
    }
    return taken;
  }

  private interface Attempt {
    boolean succeeds();
  }

  private static boolean elsewhere(Attempt attempt) throws InterruptedException {
    AtomicBoolean result = new AtomicBoolean();
    Workers workers = new Workers();
    workers.platform(() -> result.set(attempt.succeeds()));
    workers.join();
    return result.get();
  }
}
