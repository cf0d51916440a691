package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.Block;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.TouchedPages;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The bound, by threads that share the pool's stripes: together they never ask for more than it
 * promises, so that none of them may ever be refused, whatever the others are in the middle of.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ConcurrentBoundTest {
  private static final long LIMIT_BYTES = 16 << 20;
  private static final int THREADS = 4;
  private static final int STEPS = 50_000;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nobodyIsRefusedWithinIt(boolean virtual) {
    SeededRuns.forSeeds(getClass(), 3, random -> new Session(random).run(virtual));
  }

  private record Held(Block block, long neededBytes) {}

  private static final class Session {
    private final SplittableRandom random;
    private final FakeNativeMemory os = new FakeNativeMemory();
    private final Pool pool =
        Pool.create(
            PoolOptions.withLimit(LIMIT_BYTES)
                .withDecay(Duration.ofMillis(10))
                .withNativeMemory(os));
    private final ConcurrentLinkedQueue<Held> left = new ConcurrentLinkedQueue<>();

    /** What live blocks and requests may need at most. */
    private final AtomicLong neededBytes = new AtomicLong();

    /** How often a thread found that its request would be beyond the bound. */
    private final AtomicLong full = new AtomicLong();

    Session(SplittableRandom random) {
      this.random = random;
    }

    void run(boolean virtual) throws InterruptedException {
      Workers workers = new Workers();
      for (int i = 0; i < THREADS; i++) {
        SplittableRandom own = random.split();
        Workers.Work work = () -> work(own);
        if (virtual) {
          workers.virtual(work);
        } else {
          workers.platform(work);
        }
      }
      workers.join();
      assertThat(full).as("times at the bound").hasValueGreaterThan(THREADS * STEPS / 100);
      assertThat(pool.peakResidentBytes()).isBetween(LIMIT_BYTES * 7 / 8, LIMIT_BYTES);
      left.forEach(this::release);
      assertThat(pool.liveBlockBytes()).isZero();
      pool.trim();
      assertThat(pool.residentBytes()).isZero();
      pool.checkInvariants();
      pool.close();
      assertThat(os.reservations()).isZero();
    }

    private void work(SplittableRandom own) {
      List<Held> held = new ArrayList<>();
      int shift = 10;
      for (int step = 0; step < STEPS; step++) {
        if (step % 2_000 == 0) {
          shift = own.nextInt(9, 17);
        }
        long doubled = 16L << own.nextInt(shift);
        Held next = own.nextInt(8) == 0 ? null : tryHold(doubled + own.nextLong(doubled));
        if (next != null) {
          held.add(next);
        } else {
          releaseSome(own, held);
        }
      }
      left.addAll(held);
    }

    /** Null where the request would be beyond the bound: nobody else's business. */
    private @Nullable Held tryHold(long bytes) {
      long needed = TouchedPages.neededBytes(bytes);
      if (neededBytes.addAndGet(needed) > LIMIT_BYTES - pool.slackBytes()) {
        neededBytes.addAndGet(-needed);
        full.incrementAndGet();
        return null;
      }
      Block block = pool.tryAllocate(bytes);
      assertThat(block)
          .as(() ->
              "%,d bytes are refused, %,d may be needed by all%n%s"
                  .formatted(bytes, neededBytes.get(), pool.snapshot()))
          .isNotNull();
      return new Held(block, needed);
    }

    /** Every second block is left to another thread, and one that was left is released. */
    private void releaseSome(SplittableRandom own, List<Held> held) {
      for (int i = own.nextInt(8); i >= 0 && !held.isEmpty(); i--) {
        Held last = held.removeLast();
        int index = own.nextInt(held.size() + 1);
        Held victim = index == held.size() ? last : held.set(index, last);
        if (own.nextBoolean()) {
          release(victim);
          continue;
        }
        left.add(victim);
        Held others = left.poll();
        if (others != null) {
          release(others);
        }
      }
    }

    private void release(Held victim) {
      victim.block.release();
      neededBytes.addAndGet(-victim.neededBytes);
    }
  }
}
