package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.BoundSession.Held;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bound, by threads that share a pool: those of event loops with heaps of their own, and others
 * at the stripes. Together they never ask for more than it promises, so that none of them may ever
 * be refused.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ConcurrentBoundTest {
  private static final long LIMIT_BYTES = 16 << 20;
  private static final int STEPS = 200_000;

  @ParameterizedTest(name = "{0} event loops, {1} other threads, {2} virtual ones")
  @CsvSource({"0,4,0", "0,0,4", "2,0,0", "4,0,0", "8,0,0", "3,2,2"})
  void nobodyIsRefusedWithinIt(int owners, int others, int virtual) {
    SeededRuns.forSeeds(getClass(), 3, random -> new Traffic(random).run(owners, others, virtual));
  }

  private static final class Traffic {
    private final SplittableRandom random;
    private final BoundSession session = new BoundSession(LIMIT_BYTES, Duration.ofMillis(10));
    private final ConcurrentLinkedQueue<Held> left = new ConcurrentLinkedQueue<>();
    private int steps;

    Traffic(SplittableRandom random) {
      this.random = random;
    }

    void run(int owners, int others, int virtual) throws InterruptedException {
      Workers workers = new Workers();
      steps = STEPS / (owners + others + virtual);
      for (int i = 0; i < owners; i++) {
        SplittableRandom own = random.split();
        workers.platform(() -> workOnAHeap(own));
      }
      for (int i = 0; i < others; i++) {
        SplittableRandom own = random.split();
        workers.platform(() -> work(own, /* heap= */ null));
      }
      for (int i = 0; i < virtual; i++) {
        SplittableRandom own = random.split();
        workers.virtual(() -> work(own, /* heap= */ null));
      }
      workers.join();
      assertThat(session.beyond()).as("times at the bound").isGreaterThan(STEPS / 100);
      assertThat(session.pool().peakResidentBytes()).isBetween(LIMIT_BYTES * 7 / 8, LIMIT_BYTES);
      left.forEach(session::release);
      session.end();
    }

    private void workOnAHeap(SplittableRandom own) {
      OwnedHeap heap = session.pool().support().ownedHeap(task -> {});
      work(own, heap);
      heap.close();
    }

    private void work(SplittableRandom own, @Nullable OwnedHeap heap) {
      List<Held> held = new ArrayList<>();
      int shift = 10;
      for (int step = 0; step < steps; step++) {
        if (step % 2_000 == 0) {
          shift = own.nextInt(9, 17);
        }
        long doubled = 16L << own.nextInt(shift);
        Held next =
            own.nextInt(8) == 0 ? null : session.tryHold(heap, doubled + own.nextLong(doubled));
        if (next != null) {
          held.add(next);
        } else {
          releaseSome(own, held);
        }
      }
      left.addAll(held);
    }

    /** Every second block is left to another thread, and one that was left is released. */
    private void releaseSome(SplittableRandom own, List<Held> held) {
      for (int i = own.nextInt(8); i >= 0 && !held.isEmpty(); i--) {
        Held last = held.removeLast();
        int index = own.nextInt(held.size() + 1);
        Held victim = index == held.size() ? last : held.set(index, last);
        if (own.nextBoolean()) {
          session.release(victim);
          continue;
        }
        left.add(victim);
        Held others = left.poll();
        if (others != null) {
          session.release(others);
        }
      }
    }
  }
}
