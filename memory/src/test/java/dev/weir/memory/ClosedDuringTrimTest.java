package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.DelegatingNativeMemory;
import dev.weir.memory.testing.TouchedPages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A heap hands its slabs to a stripe while the pool is trimmed: none of them is passed by. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ClosedDuringTrimTest {
  /** More slabs than are unlinked at a time. */
  private static final int BLOCKS = 4_000;

  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(64 << 20)
              .withDecay(Duration.ofDays(1))
              .withNativeMemory(new ClosesAtTheFirstPurge()));

  private final CountDownLatch allocated = new CountDownLatch(1);
  private final CountDownLatch purging = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);

  @Test
  void freePagesOfAHeapThatClosesDuringATrimAreGivenBack() throws InterruptedException {
    List<Block> live = new ArrayList<>();
    Thread owner =
        Thread.ofPlatform()
            .start(() -> {
              OwnedHeap heap = pool.support().ownedHeap(task -> {});
              live.addAll(keepSome(heap));
              allocated.countDown();
              await(purging);
              heap.close();
              closed.countDown();
            });
    await(allocated);
    live.addAll(keepSome(/* heap= */ null));
    TouchedPages touched = new TouchedPages();
    live.forEach(touched::add);

    pool.trim();
    assertThat(purging.getCount()).isZero();
    assertThat(pool.residentBytes()).isEqualTo(touched.bytes());
    live.forEach(Block::release);
    owner.join();
    pool.close();
  }

  /** Each on a page of its own, between free ones. */
  private List<Block> keepSome(@Nullable OwnedHeap heap) {
    List<Block> kept = new ArrayList<>();
    List<Block> gone = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      Block block =
          heap == null
              ? pool.allocate(4_096)
              : pool.support().allocateBlock(heap, 4_096, pool.rootBudget());
      (i % 8 == 0 ? kept : gone).add(block);
    }
    gone.forEach(Block::release);
    return kept;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private final class ClosesAtTheFirstPurge extends DelegatingNativeMemory {
    ClosesAtTheFirstPurge() {
      super(new FakeNativeMemory());
    }

    @Override
    public void purge(long address, long bytes) {
      if (allocated.getCount() == 0 && purging.getCount() > 0) {
        purging.countDown();
        await(closed);
      }
      super.purge(address, bytes);
    }
  }
}
