package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What those whose code the purger's thread runs may do to it: futures of grants, loggers. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class PurgerTest {
  private static final long LONG_NANOS = Duration.ofHours(1).toNanos();

  private Errand errand;

  /** Does something at its first turn; nothing is due again for an hour. */
  private static final class Errand implements Purger.Chores {
    private final Runnable first;
    private final List<Boolean> interruptedAtTurn = new CopyOnWriteArrayList<>();
    private volatile boolean done;

    Errand(Runnable first) {
      this.first = first;
    }

    @Override
    public long doChores(long nowNanos) {
      interruptedAtTurn.add(Thread.currentThread().isInterrupted());
      if (interruptedAtTurn.size() == 1) {
        first.run();
      }
      return nowNanos + LONG_NANOS;
    }

    @Override
    public void failed(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public boolean isDone() {
      return done;
    }

    int turns() {
      return interruptedAtTurn.size();
    }
  }

  private void start(Runnable first) {
    errand = new Errand(first);
    Purger.lookAfter(errand);
  }

  private void awaitTurn(int turn) {
    Await.until(() -> errand.turns() >= turn, () -> errand.turns() + " turns");
  }

  @AfterEach
  void nothingIsDueAgain() {
    errand.done = true;
  }

  /** As when the Java heap is full: the log has no room for its message either. */
  @Test
  void thePurgerOutlivesWhatIsThrownAroundTheChores() {
    AtomicInteger asked = new AtomicInteger();
    Purger.Chores faulty =
        new Purger.Chores() {
          @Override
          public long doChores(long nowNanos) {
            return nowNanos + LONG_NANOS;
          }

          @Override
          public void failed(Throwable failure) {
            throw new AssertionError(failure);
          }

          @Override
          public boolean isDone() {
            if (asked.incrementAndGet() == 1) {
              throw new StackOverflowError("no room to say so");
            }
            return true;
          }
        };
    Purger.lookAfter(faulty);
    Await.until(() -> asked.get() >= 1, () -> "nobody asked");

    start(() -> {});

    awaitTurn(1);
    assertThat(faulty.isDone()).isTrue();
  }

  @Test
  void aWakeDuringAChoreThatParksIsNotLost() {
    start(() -> {
      Purger.wake();
      LockSupport.parkNanos(LONG_NANOS);
    });

    awaitTurn(2);
  }

  @Test
  void anInterruptDoesNotOutliveTheChoreThatLeftIt() {
    start(() -> Thread.currentThread().interrupt());
    awaitTurn(1);
    Purger.wake();
    awaitTurn(2);

    assertThat(errand.interruptedAtTurn).doesNotContain(true);
  }
}
