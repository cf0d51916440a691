package dev.weir.memory.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.Waits;
import dev.weir.memory.testing.Workers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SpinLockTest {
  private final SpinLock lock = new SpinLock();

  /**
   * The holder has given its carrier back, and those who wait are interrupted and so many that they
   * could keep every carrier.
   */
  @Test
  void interruptedVirtualThreadsLeaveTheirCarriersToTheHolder() throws InterruptedException {
    int waiters = Runtime.getRuntime().availableProcessors() * 4;
    CountDownLatch held = new CountDownLatch(1);
    AtomicInteger waiting = new AtomicInteger();
    AtomicInteger stillInterrupted = new AtomicInteger();
    Workers workers = new Workers();
    workers.virtual(() -> {
      lock.lock();
      held.countDown();
      while (waiting.get() < waiters) {
        LockSupport.parkNanos(1_000_000);
      }
      lock.unlock();
    });
    for (int i = 0; i < waiters; i++) {
      workers.virtual(() -> {
        held.await();
        Thread.currentThread().interrupt();
        waiting.incrementAndGet();
        lock.lock();
        lock.unlock();
        if (Thread.currentThread().isInterrupted()) {
          stillInterrupted.incrementAndGet();
        }
      });
    }
    workers.join();

    assertThat(stillInterrupted).hasValue(waiters);
  }

  /** What it holds already would be held until some carrier has time for it. */
  @Test
  void whoWaitsForAnInnermostLockKeepsItsCarrier() throws InterruptedException {
    SpinLock innermost = SpinLock.innermost();
    AtomicReference<Thread> waiter = new AtomicReference<>();
    Workers workers = new Workers();
    innermost.lock();
    try {
      workers.virtual(() -> {
        waiter.set(Thread.currentThread());
        innermost.lock();
        innermost.unlock();
      });
      Waits.assertKeepsItsCarrier(waiter);
    } finally {
      innermost.unlock();
    }
    workers.join();
  }
}
