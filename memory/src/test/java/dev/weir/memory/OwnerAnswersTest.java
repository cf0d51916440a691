package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.Block;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an event loop keeps free refuses nobody, if the loop answers when it is asked. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class OwnerAnswersTest {
  private static final int MIB = 1 << 20;
  private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** It waits for 2 ms, in some of these rounds: the system may take longer. */
  private static final int ROUNDS = 1_000;

  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(16 * MIB)
              .withDecay(Duration.ofDays(1))
              .withNativeMemory(new FakeNativeMemory()));
  private final ExecutorService loop = Executors.newSingleThreadExecutor();

  /** Who asks for memory that the loop has. */
  private volatile @Nullable Thread asking;

  @AfterEach
  void close() {
    loop.shutdownNow();
    pool.close();
  }

  /** A loop allocates, another thread releases, a third one asks at once. */
  @Test
  void aRequestWaitsForALoopThatSleeps() throws Exception {
    OwnedHeap heap = loop.submit(() -> pool.ownedHeap(this::answerLate)).get();
    int servedAtOnce = 0;
    for (int round = 0; round < ROUNDS && servedAtOnce == 0; round++) {
      List<Block> blocks = loop.submit(() -> allocate(heap, 14 * MIB)).get();
      Workers others = new Workers();
      others.platform(() -> blocks.forEach(Block::release));
      others.join();
      asking = Thread.currentThread();
      Block block = pool.tryAllocate(8 * MIB);
      asking = null;
      if (block != null) {
        servedAtOnce++;
        block.release();
      }
      pool.trim();
      loop.submit(() -> {}).get();
      pool.trim();
    }
    assertThat(servedAtOnce).isPositive();
    loop.submit(heap::close).get();
  }

  /** Once the thread that asks waits for it, or has been refused. */
  private void answerLate(Runnable task) {
    loop.execute(() -> {
      for (Thread asker = asking; asker != null && !isWaiting(asker); asker = asking) {
        Thread.onSpinWait();
      }
      task.run();
    });
  }

  private static boolean isWaiting(Thread asker) {
    return Arrays.stream(asker.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("awaitOwners"));
  }

  private List<Block> allocate(OwnedHeap heap, int bytes) {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < bytes / 65_536; i++) {
      blocks.add(pool.allocate(heap, 65_536, pool.rootBudget()));
    }
    return blocks;
  }

  @Test
  void twoThatWaitForEachOtherAnswerEachOther() throws InterruptedException {
    Queue<OwnedHeap> heaps = new ConcurrentLinkedQueue<>();
    CountDownLatch asked = new CountDownLatch(2);
    Workers workers = new Workers();
    for (int i = 0; i < 2; i++) {
      workers.platform(() -> {
        OwnedHeap heap = pool.ownedHeap(task -> {});
        heaps.add(heap);
        heap.requestTrim();
        asked.countDown();
        asked.await();
        assertThat(new OwnerAnswers(LONG_NANOS).await(heaps)).isIn(true, false);
        assertThat(heap.isAsked()).isFalse();
      });
    }
    workers.join();
    assertThat(heaps).noneMatch(OwnedHeap::isAsked);
  }

  @Test
  void whoDoesNotAnswerIsNotWaitedForAgainAtOnce() {
    OwnedHeap heap = pool.ownedHeap(task -> {});
    heap.requestTrim();
    Workers workers = new Workers();
    workers.platform(() -> {
      OwnerAnswers answers = new OwnerAnswers(TimeUnit.SECONDS.toNanos(1));
      assertThat(answers.await(List.of(heap))).isTrue();
      assertThat(heap.isAsked()).isTrue();
      assertThat(answers.await(List.of(heap))).as("it rests for ten seconds").isFalse();
    });
    assertThat(heap.owner()).isSameAs(Thread.currentThread());
    try {
      workers.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    heap.close();
  }

  /** It comes to no other task, and to no slab. */
  @Test
  void aLoopThatIsAtWorkAnswersAtARelease() throws Exception {
    OwnedHeap heap = pool.ownedHeap(task -> {});
    List<Block> blocks = allocate(heap, 14 * MIB);
    List<Block> kept = new ArrayList<>();
    pool.allocate(heap, 64, pool.rootBudget()).release();
    for (int i = 0; i < blocks.size(); i++) {
      if (i % 8 == 0) {
        kept.add(blocks.get(i));
      } else {
        blocks.get(i).release();
      }
    }
    AtomicReference<@Nullable Block> served = new AtomicReference<>();
    Workers workers = new Workers();
    workers.platform(() -> {
      while (served.get() == null && !Thread.currentThread().isInterrupted()) {
        served.set(pool.tryAllocate(8 * MIB));
      }
    });
    while (served.get() == null && !Thread.currentThread().isInterrupted()) {
      pool.allocate(heap, 64, pool.rootBudget()).release();
    }
    workers.join();
    served.get().release();
    kept.forEach(Block::release);
    heap.close();
  }

  /** One loop that is blocked takes nothing from those who are refused but itself. */
  @Test
  void theOthersAreWaitedForWhereOneDoesNotAnswer() throws Exception {
    OwnedHeap blocked = pool.ownedHeap(task -> {});
    OwnedHeap asleep = loop.submit(() -> pool.ownedHeap(this::answerLate)).get();
    Workers workers = new Workers();
    workers.platform(() -> {
      blocked.requestTrim();
      new OwnerAnswers(TimeUnit.MILLISECONDS.toNanos(10)).await(List.of(blocked));
      assertThat(blocked.isAsked()).isTrue();
      blocked.restUntil(System.nanoTime() + LONG_NANOS);
      asking = Thread.currentThread();
      asleep.requestTrim();
      assertThat(awaitOwners(List.of(blocked, asleep))).isTrue();
      assertThat(asleep.isAsked()).isFalse();
      assertThat(awaitOwners(List.of(blocked, asleep))).as("it still rests").isFalse();
    });
    workers.join();
    loop.submit(asleep::close).get();
    blocked.close();
  }

  /** Under the name that {@link #isWaiting} looks for. */
  private static boolean awaitOwners(List<OwnedHeap> heaps) {
    return new OwnerAnswers(LONG_NANOS).await(heaps);
  }
}
