package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that end without closing their heaps, in a pool whose purger does not come by: its decay
 * is a day.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EndedOwnersTest {
  private final FakeNativeMemory os = new FakeNativeMemory();
  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(4 << 20).withDecay(Duration.ofDays(1)).withNativeMemory(os));
  private final List<Block> live = new ArrayList<>();

  /** The purger's first round is its last for half a day: nobody wakes it. */
  @BeforeEach
  void letThePurgerComeBy() {
    Block block = pool.allocate(3 << 20);
    assertThat(pool.grant(3 << 20, Duration.ZERO))
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .withCauseInstanceOf(TimeoutException.class);
    block.release();
    pool.trim();
  }

  @AfterEach
  void everythingGoesBack() {
    live.forEach(Block::release);
    assertThat(pool.liveBlockBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    assertThat(pool.snapshot().ownedHeaps()).isZero();
    pool.checkInvariants();
    pool.close();
    assertThat(os.reservations()).isZero();
  }

  private void inAThreadThatEnds(Runnable work) throws InterruptedException {
    Thread.ofPlatform().start(work).join();
  }

  @Test
  void whatTheyKeptFreeRefusesNothing() throws InterruptedException {
    inAThreadThatEnds(() -> {
      OwnedHeap heap = pool.support().ownedHeap(task -> {});
      List<Block> goes = new ArrayList<>();
      for (int i = 0; i < 56; i++) {
        Block block = pool.support().allocateBlock(heap, 65_536, pool.rootBudget());
        (i % 8 == 0 ? live : goes).add(block);
      }
      goes.forEach(Block::release);
    });

    Block large = pool.tryAllocate(3 << 20);
    assertThat(large).as("%s", pool.snapshot()).isNotNull();
    live.add(large);
  }

  @Test
  void manyDoNotPileUp() throws InterruptedException {
    for (int i = 0; i < 1_000; i++) {
      boolean closes = i % 2 == 0;
      inAThreadThatEnds(() -> {
        OwnedHeap heap = pool.support().ownedHeap(task -> {});
        pool.support().allocateBlock(heap, 100, pool.rootBudget()).release();
        if (closes) {
          heap.close();
        }
      });
      assertThat(pool.snapshot().ownedHeaps()).isLessThan(200);
    }
  }
}
