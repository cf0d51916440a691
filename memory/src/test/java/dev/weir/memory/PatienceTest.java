package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.testing.Workers;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one request waits for reclaimers of others, in all. Time passes where it is looked at. */
@Timeout(120)
class PatienceTest {
  private static final long LOOK_NANOS = 100_000;

  /** How long a call of another thread takes: two of them are all that a request waits for. */
  private static final long CALL_NANOS = Patience.MOST_NANOS / 2;

  private final AtomicLong clock = new AtomicLong();
  private final Budget root = Budget.root("root", () -> 1 << 20, 0, () -> 0);
  private final Budget object = root.child("object", Budget.UNLIMITED);
  private final Budget cache = object.child("cache", Budget.UNLIMITED);
  private final List<Budget> holders = List.of(cache, object, root, root);
  private final Reclaimers reclaimers = new Reclaimers(root, () -> clock.getAndAdd(LOOK_NANOS));
  private final Queue<Thread> blocked = new ConcurrentLinkedQueue<>();
  private final AtomicInteger inside = new AtomicInteger();
  private final Thread requester = Thread.currentThread();
  private final AtomicBoolean over = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Workers workers = new Workers();

  @AfterEach
  void stop() throws InterruptedException {
    over.set(true);
    ended.countDown();
    workers.join();
  }

  /** One that has always something to give, which never makes room. */
  private void add(Budget holder, Runnable callOfAnother) {
    reclaimers.add(
        holder,
        0,
        bytes -> {
          if (Thread.currentThread() != requester) {
            inside.incrementAndGet();
            callOfAnother.run();
            inside.decrementAndGet();
          }
          return bytes;
        });
  }

  /** For each a thread that asks it, again and again. */
  private void occupyAll() {
    for (ReclaimerCalls calls : reclaimers.inOrder()) {
      workers.platform(() -> {
        while (!over.get()) {
          calls.ask(1, new Patience());
        }
      });
    }
    awaitAllInside(reclaimers.inOrder().size());
  }

  /** The next of each has begun: whoever asks now has to wait. */
  private void awaitAllInside(int occupied) {
    while (inside.get() < occupied) {
      Thread.yield();
    }
  }

  private void work() {
    long begunNanos = clock.get();
    while (!over.get() && clock.get() - begunNanos < CALL_NANOS) {
      Thread.yield();
    }
  }

  private void block() {
    blocked.add(Thread.currentThread());
    try {
      ended.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void callsThatEndAndBeginAreWaitedForOnceInAll() throws InterruptedException {
    for (Budget holder : holders) {
      add(holder, this::work);
    }
    occupyAll();
    long begunNanos = clock.get();
    Supplier<@Nullable Object> retry =
        () -> {
          awaitAllInside(holders.size());
          return null;
        };

    assertThat(reclaimers.serveAfterAsking(1, cache, retry)).isNull();

    assertThat(clock.get() - begunNanos).isLessThan(2 * Patience.MOST_NANOS);
  }

  @Test
  void reclaimersThatBlockAreLeftSoonAndOneThatIsFreeIsAsked() throws InterruptedException {
    for (Budget holder : holders) {
      add(holder, this::block);
    }
    occupyAll();
    while (blocked.size() < holders.size()
        || blocked.stream().anyMatch(thread -> thread.getState() != Thread.State.WAITING)) {
      Thread.yield();
    }
    AtomicBoolean asked = new AtomicBoolean();
    reclaimers.add(
        cache,
        1,
        bytes -> {
          asked.set(true);
          return bytes;
        });
    long begunNanos = clock.get();

    assertThat(reclaimers.serveAfterAsking(1, cache, () -> asked.get() ? "served" : null))
        .isEqualTo("served");

    assertThat(clock.get() - begunNanos).isLessThan(Patience.MOST_NANOS / 2);
  }

  @Test
  void oneThatIsFreeIsAskedAlsoWhenPatienceIsOver() throws InterruptedException {
    for (Budget holder : holders) {
      add(holder, this::work);
    }
    occupyAll();
    AtomicBoolean asked = new AtomicBoolean();
    reclaimers.add(
        cache,
        1,
        bytes -> {
          asked.set(true);
          return bytes;
        });

    assertThat(reclaimers.serveAfterAsking(1, cache, () -> asked.get() ? "served" : null))
        .isEqualTo("served");
  }
}
