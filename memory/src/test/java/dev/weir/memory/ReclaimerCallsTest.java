package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Workers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that need a reclaimer while another is in it. */
@Timeout(120)
class ReclaimerCallsTest {
  private static final long A_WHILE_NANOS = 50_000_000;

  private final AtomicLong clock = new AtomicLong();
  private final Budget root = Budget.root("root", () -> 1 << 20, 0, () -> 0);

  @Test
  void oneThatIsAtWorkIsWaitedFor() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean done = new AtomicBoolean();
    ReclaimerCalls calls =
        new ReclaimerCalls(
            bytes -> {
              begun.countDown();
              long start = System.nanoTime();
              while (System.nanoTime() - start < A_WHILE_NANOS) {
                Thread.onSpinWait();
              }
              done.set(true);
              return bytes;
            },
            root,
            0,
            () -> 0);
    Workers workers = new Workers();
    workers.platform(() -> assertThat(calls.ask(1, new Patience())).isTrue());
    begun.await();

    assertThat(calls.ask(1, new Patience())).isTrue();
    assertThat(done).isTrue();
    workers.join();
  }

  @Test
  void oneThatIsBlockedIsNot() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    ReclaimerCalls calls =
        new ReclaimerCalls(
            bytes -> {
              begun.countDown();
              try {
                goOn.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              return bytes;
            },
            root,
            0,
            () -> clock.getAndAdd(1_000_000));
    Workers workers = new Workers();
    AtomicReference<@Nullable Thread> blocked = new AtomicReference<>();
    workers.platform(() -> {
      blocked.set(Thread.currentThread());
      assertThat(calls.ask(1, new Patience())).isTrue();
    });
    begun.await();
    Await.until(() -> blocked.get().getState() == Thread.State.WAITING, () -> "it runs");

    Patience patience = new Patience();
    assertThat(calls.ask(1, patience)).isFalse();
    assertThat(patience.endsAfter(Patience.MOST_NANOS / 2)).as("has most of it left").isFalse();
    goOn.countDown();
    workers.join();
    assertThat(calls.ask(1, new Patience())).isTrue();
  }
}
