package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Patterns;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Ten thousand threads come and go. Each leaves blocks behind that others release, and every second
 * one leaves its heap.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ManyThreadsTest {
  private static final int THREADS = 10_000;
  private static final int AT_A_TIME = 100;
  private static final long LIMIT_BYTES = 64 << 20;

  private record Parcel(Block block, long number) {}

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofMillis(20)));
  private final Queue<Parcel> left = new ConcurrentLinkedQueue<>();
  private final AtomicInteger mostHeaps = new AtomicInteger();

  @Test
  void platformThreads() throws InterruptedException {
    run(/* virtual= */ false);
  }

  @Test
  void virtualThreads() throws InterruptedException {
    run(/* virtual= */ true);
  }

  private void run(boolean virtual) throws InterruptedException {
    for (int i = 0; i < THREADS; i += AT_A_TIME) {
      Workers workers = new Workers();
      for (int n = i; n < i + AT_A_TIME; n++) {
        int thread = n;
        Workers.Work work = () -> live(thread);
        if (virtual) {
          workers.virtual(work);
        } else {
          workers.platform(work);
        }
      }
      workers.join();
      mostHeaps.accumulateAndGet(pool.snapshot().ownedHeaps(), Math::max);
    }
    assertThat(left).isNotEmpty();
    left.forEach(ManyThreadsTest::open);

    // A worker is done a moment before its thread has ended.
    assertThat(mostHeaps.get()).isLessThan(5 * AT_A_TIME);
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(pool.peakResidentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    Await.until(() -> pool.residentBytes() == 0, () -> pool.snapshot().toString());
    assertThat(pool.snapshot().ownedHeaps()).isZero();
    assertThat(pool.snapshot().slabs()).isEmpty();
    pool.checkInvariants();
    pool.close();
  }

  private void live(int thread) {
    SplittableRandom random = new SplittableRandom(thread);
    OwnedHeap heap = thread % 4 == 0 ? null : pool.support().ownedHeap(task -> {});
    for (int i = 0; i < 10; i++) {
      long bytes = 1 + random.nextLong(1L << random.nextInt(4, 18));
      Block block =
          heap == null
              ? pool.tryAllocate(bytes)
              : pool.support().tryAllocateBlock(heap, bytes, pool.rootBudget());
      if (block != null) {
        Parcel parcel = new Parcel(block, thread * 10L + i);
        Patterns.fill(block, parcel.number);
        left.add(parcel);
      }
      if (left.size() > AT_A_TIME) {
        Parcel parcel = left.poll();
        if (parcel != null) {
          open(parcel);
        }
      }
    }
    if (heap != null && thread % 2 == 0) {
      heap.close();
    }
  }

  private static void open(Parcel parcel) {
    Patterns.verify(parcel.block, parcel.number);
    parcel.block.release();
  }
}
