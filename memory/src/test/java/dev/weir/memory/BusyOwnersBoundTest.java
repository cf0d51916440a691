package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.BoundSession.Held;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Several event loops keep free what they have released, each as much as it may, and are busy: what
 * all of them keep together refuses nobody. The constant of the bound counts none of it.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BusyOwnersBoundTest {
  private static final long LIMIT_BYTES = 128 << 20;
  private static final int REQUESTS = 100;

  /** What a loop does once it has let go of most of its blocks. */
  private enum Busy {
    /** It computes, and comes to none of its slabs. */
    COMPUTING,
    /** It replaces blocks that it has kept by others of the same size. */
    REPLACING,
    /** It fills up and lets go again, each in one long task. */
    IN_LONG_TASKS
  }

  private final BoundSession session = new BoundSession(LIMIT_BYTES, Duration.ofDays(1));
  private final AtomicBoolean done = new AtomicBoolean();

  @ParameterizedTest(name = "{0} loops of {1} bytes, {2}")
  @CsvSource({
    "2,256,COMPUTING",
    "8,4096,COMPUTING",
    "8,65536,COMPUTING",
    "2,256,REPLACING",
    "4,4096,REPLACING",
    "8,16384,REPLACING",
    "8,65536,REPLACING",
    "2,4096,IN_LONG_TASKS",
    "8,65536,IN_LONG_TASKS"
  })
  void whatTheyKeepTogetherRefusesNobody(int owners, int size, Busy busy)
      throws InterruptedException {
    CountDownLatch ready = new CountDownLatch(owners);
    Workers loops = new Workers();
    for (int i = 0; i < owners; i++) {
      SplittableRandom random = new SplittableRandom(i);
      loops.platform(() -> new Loop(size, session.boundBytes() / owners, random).run(busy, ready));
    }
    ready.await();
    Pool pool = session.pool();
    long keptBytes = 0;
    int served = 0;
    try {
      for (int i = 0; i < REQUESTS; i++) {
        keptBytes = Math.max(keptBytes, pool.liveBytes() - session.touchedBytes());
        Held rest = session.tryHoldTheRest();
        if (rest != null) {
          served++;
          session.release(rest);
        }
      }
    } finally {
      done.set(true);
    }
    loops.join();
    System.out.printf(
        "%d loops of %d bytes, %s: %,d bytes kept free at most, S is %,d, %d requests%n",
        owners, size, busy, keptBytes, pool.slackBytes(), served);
    assertThat(keptBytes).as("worth trimming").isGreaterThan(pool.slackBytes());
    assertThat(served).isGreaterThan(REQUESTS / 2);
    session.end();
  }

  private final class Loop {
    private final int size;
    private final long shareBytes;
    private final SplittableRandom random;
    private final OwnedHeap heap = session.pool().support().ownedHeap(task -> {});
    private final List<Held> held = new ArrayList<>();

    Loop(int size, long shareBytes, SplittableRandom random) {
      this.size = size;
      this.shareBytes = shareBytes;
      this.random = random;
    }

    void run(Busy busy, CountDownLatch ready) {
      try {
        fill();
        keepOneIn(8);
      } finally {
        ready.countDown();
      }
      while (!done.get()) {
        switch (busy) {
          case COMPUTING -> Thread.onSpinWait();
          case REPLACING -> replaceOne();
          case IN_LONG_TASKS -> {
            fill();
            keepOneIn(8);
          }
        }
      }
      held.forEach(session::release);
      heap.close();
    }

    private void fill() {
      for (long bytes = (long) held.size() * size; bytes + size <= shareBytes; bytes += size) {
        Held next = session.tryHold(heap, size);
        if (next == null) {
          return;
        }
        held.add(next);
      }
    }

    /** So that whole pages come free, too. */
    private void keepOneIn(int n) {
      List<Held> kept = new ArrayList<>();
      int run = Math.max(1, 8192 / size);
      for (int i = 0; i < held.size(); i++) {
        if (i / run % n == 0) {
          kept.add(held.get(i));
        } else {
          session.release(held.get(i));
        }
      }
      held.clear();
      held.addAll(kept);
    }

    private void replaceOne() {
      if (!held.isEmpty()) {
        Held last = held.removeLast();
        int index = random.nextInt(held.size() + 1);
        session.release(index == held.size() ? last : held.set(index, last));
      }
      Held next = session.tryHold(heap, size);
      if (next != null) {
        held.add(next);
      }
    }
  }
}
