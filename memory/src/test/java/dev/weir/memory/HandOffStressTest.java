package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The interleavings of a full slab's remote free with what its heap may do at that moment: free a
 * slot itself, fill up again, trim, be closed, lose its owner. Slabs of eight slots change state at
 * every few operations.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class HandOffStressTest {
  private static final int ROUNDS = SeededRuns.isLong() ? 300_000 : 20_000;
  private static final int SLOT_BYTES = 65_536;
  private static final int MOST_ON_THE_WAY = 64;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(64 << 20).withDecay(Duration.ofMillis(20)).withNativeMemory(os));
  private final Queue<Block> onTheWay = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicBoolean done = new AtomicBoolean();

  @AfterEach
  void everythingGoesBack() {
    assertThat(onTheWay).isEmpty();
    Await.untilPasses(() -> assertThat(pool.liveBlockBytes()).isZero());
    Await.untilPasses(pool::checkInvariants);
    Await.until(() -> pool.residentBytes() == 0, () -> pool.snapshot().toString());
    pool.close();
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  /**
   * Retires rather than yields: virtual threads that only yield keep their carriers' own queues
   * full, and a virtual thread that waits in another queue, for a monitor say, may never run.
   */
  private static void pause() {
    LockSupport.parkNanos(1_000);
  }

  private void send(Block block) {
    while (count.get() > MOST_ON_THE_WAY) {
      pause();
    }
    count.incrementAndGet();
    onTheWay.add(block);
  }

  private void receiveUntilDone() {
    while (true) {
      boolean last = done.get();
      Block block = onTheWay.poll();
      if (block != null) {
        count.decrementAndGet();
        block.release();
      } else if (last) {
        return;
      } else {
        pause();
      }
    }
  }

  private static void runPosted(Queue<Runnable> posted) {
    for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
      task.run();
    }
  }

  /** Full slabs lose slots to their owner and to others at once, and fill up again. */
  @Test
  void anOwnerFreesWhileOthersDo() throws InterruptedException {
    Workers others = new Workers();
    others.platform(this::receiveUntilDone).platform(this::receiveUntilDone);
    Workers owner = new Workers();
    owner.platform(() -> {
      Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
      OwnedHeap heap = pool.support().ownedHeap(posted::add);
      SplittableRandom random = new SplittableRandom(1);
      List<Block> own = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = random.nextInt(20); i > 0; i--) {
          Block block = pool.support().allocateBlock(heap, SLOT_BYTES, pool.rootBudget());
          if (random.nextBoolean()) {
            own.add(block);
          } else {
            send(block);
          }
        }
        while (!own.isEmpty() && random.nextInt(12) > 0) {
          own.remove(random.nextInt(own.size())).release();
        }
        if (random.nextInt(20) == 0) {
          heap.trim();
        }
        runPosted(posted);
      }
      own.forEach(Block::release);
      heap.close();
      done.set(true);
    });
    owner.join();
    others.join();
  }

  /** Heaps are closed while slabs of theirs arrive. */
  @Test
  void heapsAreClosedWhileOthersFree() throws InterruptedException {
    closeWhileOthersFree(new Workers(), /* virtual= */ false);
  }

  /** The same with more virtual threads than carriers: none of them may hold one while it waits. */
  @Test
  void heapsOfVirtualThreadsAreClosedWhileOthersFree() throws InterruptedException {
    closeWhileOthersFree(new Workers(), /* virtual= */ true);
  }

  private void closeWhileOthersFree(Workers workers, boolean virtual) throws InterruptedException {
    int owners = virtual ? 8 : 2;
    AtomicInteger running = new AtomicInteger(owners);
    for (int i = 0; i < owners; i++) {
      int seed = i;
      Workers.Work close =
          () -> {
            closeAgainAndAgain(new SplittableRandom(seed), ROUNDS / owners);
            done.set(running.decrementAndGet() == 0);
          };
      Workers.Work receive =
          () -> {
            receiveUntilDoneYielding();
          };
      if (virtual) {
        workers.virtual(close).virtual(receive);
      } else {
        workers.platform(close).platform(receive);
      }
    }
    workers.join();
  }

  private void receiveUntilDoneYielding() {
    while (!done.get() || !onTheWay.isEmpty()) {
      Block block = onTheWay.poll();
      if (block == null) {
        pause();
      } else {
        count.decrementAndGet();
        block.release();
      }
    }
  }

  private void closeAgainAndAgain(SplittableRandom random, int rounds) {
    for (int round = 0; round < rounds; round++) {
      OwnedHeap heap = pool.support().ownedHeap(task -> {});
      for (int i = 8 * (1 + random.nextInt(3)) + random.nextInt(2); i > 0; i--) {
        Block block = pool.support().allocateBlock(heap, SLOT_BYTES, pool.rootBudget());
        if (random.nextInt(6) == 0) {
          block.release();
        } else {
          send(block);
        }
      }
      heap.close();
    }
  }

  /** Threads end without a word; the purger and whoever closes their heaps come together. */
  @Test
  void ownersDieWithoutClosingTheirHeaps() throws InterruptedException {
    Workers receivers = new Workers();
    receivers.platform(this::receiveUntilDone);
    int deaths = SeededRuns.isLong() ? 5_000 : 300;
    for (int i = 0; i < deaths; i++) {
      OwnedHeap[] heap = new OwnedHeap[1];
      Thread owner =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                heap[0] = pool.support().ownedHeap(task -> {});
                for (int n = 0; n < 17; n++) {
                  send(pool.support().allocateBlock(heap[0], SLOT_BYTES, pool.rootBudget()));
                }
              });
      owner.join();
      if (i % 3 == 0) {
        heap[0].close();
      }
    }
    done.set(true);
    receivers.join();

    Await.until(() -> pool.snapshot().ownedHeaps() == 0, () -> pool.snapshot().toString());
  }

  /** Stripes are trimmed by some while others allocate from them and free into them. */
  @Test
  void stripesAreTrimmedWhileOthersUseThem() throws InterruptedException {
    AtomicInteger running = new AtomicInteger(3);
    Workers workers = new Workers();
    for (int i = 0; i < 3; i++) {
      workers.platform(() -> {
        for (int round = 0; round < ROUNDS * 3; round++) {
          send(pool.allocate(SLOT_BYTES));
        }
        done.set(running.decrementAndGet() == 0);
      });
    }
    workers.platform(this::receiveUntilDoneYielding);
    workers.virtual(this::receiveUntilDoneYielding);
    workers.platform(() -> {
      while (!done.get()) {
        pool.trim();
        pause();
      }
    });
    workers.join();
  }
}
