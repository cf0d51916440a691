package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Patterns;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads of every sort allocate, write, hand over, verify and release, on real memory, at the
 * limit and below it; owned heaps come and go meanwhile.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class CrossThreadStressTest {
  private static final long LIMIT_BYTES = 24 << 20;
  private static final int STEPS = SeededRuns.isLong() ? 3_000_000 : 200_000;
  private static final int MOST_ON_THE_WAY = 400;

  private record Parcel(Block block, long number) {}

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofMillis(20)));
  private final Queue<Parcel> onTheWay = new ConcurrentLinkedQueue<>();
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong handedOver = new AtomicLong();

  @Test
  void contentsSurviveEveryHandOver() throws InterruptedException {
    Workers workers = new Workers();
    for (int i = 0; i < 2; i++) {
      int seed = i;
      workers.platform(() -> work(new SplittableRandom(seed), /* owned= */ true));
      workers.platform(() -> work(new SplittableRandom(10 + seed), /* owned= */ false));
      workers.virtual(() -> work(new SplittableRandom(20 + seed), /* owned= */ false));
      workers.virtual(() -> work(new SplittableRandom(30 + seed), /* owned= */ true));
    }
    workers.join();
    for (Parcel parcel = onTheWay.poll(); parcel != null; parcel = onTheWay.poll()) {
      open(parcel);
    }

    assertThat(handedOver.get()).isGreaterThan(STEPS);
    Await.untilPasses(() -> assertThat(pool.liveBlockBytes()).isZero());
    Await.untilPasses(pool::checkInvariants);
    pool.trim();
    Await.until(() -> pool.residentBytes() == 0, () -> pool.snapshot().toString());
    pool.close();
  }

  private void work(SplittableRandom random, boolean owned) {
    Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
    OwnedHeap heap = owned ? pool.support().ownedHeap(posted::add) : null;
    ArrayDeque<Parcel> own = new ArrayDeque<>();
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> send(random, heap, own);
        case 3, 4 -> receive();
        case 5 -> receiveMany();
        case 6 -> openOwn(own);
        default -> {
          runPosted(posted);
          if (heap != null && random.nextInt(200) == 0) {
            heap.close();
            heap = pool.support().ownedHeap(posted::add);
          }
          if (pool.residentBytes() > LIMIT_BYTES) {
            throw new AssertionError(pool.snapshot().toString());
          }
        }
      }
    }
    own.forEach(this::open);
    if (heap != null) {
      heap.close();
    }
  }

  private void send(SplittableRandom random, @Nullable OwnedHeap heap, ArrayDeque<Parcel> own) {
    long bytes = 1 + random.nextLong(1L << random.nextInt(4, 19));
    Block block =
        heap != null
            ? pool.support().tryAllocateBlock(heap, bytes, pool.rootBudget())
            : pool.tryAllocate(bytes);
    if (block == null) {
      receiveMany();
      return;
    }
    Parcel parcel = new Parcel(block, numbers.incrementAndGet());
    Patterns.fill(block, parcel.number);
    if (random.nextInt(4) == 0 && own.size() < 50) {
      own.add(parcel);
    } else {
      onTheWay.add(parcel);
      if (handedOver.incrementAndGet() % MOST_ON_THE_WAY == 0) {
        receiveMany();
      }
    }
  }

  private void receive() {
    Parcel parcel = onTheWay.poll();
    if (parcel != null) {
      open(parcel);
    }
  }

  private void receiveMany() {
    for (int i = 0; i < 20; i++) {
      receive();
    }
  }

  private void openOwn(ArrayDeque<Parcel> own) {
    Parcel parcel = own.poll();
    if (parcel != null) {
      open(parcel);
    }
  }

  private void open(Parcel parcel) {
    Patterns.verify(parcel.block, parcel.number);
    parcel.block.release();
  }

  private static void runPosted(Queue<Runnable> posted) {
    for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
      task.run();
    }
  }
}
