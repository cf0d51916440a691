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
}
