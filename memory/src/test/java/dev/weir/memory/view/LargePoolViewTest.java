package dev.weir.memory.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.heap.OwnedHeap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How long a look at a pool of 1,000,000 blocks takes: printed, not asserted. */
class LargePoolViewTest {
  private static final int BLOCKS = 1_000_000;
  private static final int LOOKS = 20;

  @Test
  void aMillionBlocksAreSeen() {
    SplittableRandom random = new SplittableRandom(1);
    Block[] blocks = new Block[BLOCKS];
    long blockBytes = 0;
    try (Pool pool = Pool.create(PoolOptions.withLimit(2L << 30).withName("large"))) {
      OwnedHeap heap = AllocatorSupport.of(pool).ownedHeap(task -> {});
      for (int i = 0; i < BLOCKS; i++) {
        blocks[i] =
            AllocatorSupport.of(pool)
                .allocateBlock(heap, random.nextInt(1, 1025), pool.rootBudget());
        blockBytes += blocks[i].size();
      }
      long[] nanos = new long[LOOKS];
      for (int look = 0; look < LOOKS; look++) {
        long start = System.nanoTime();
        PoolView view = pool.view(MapWindow.everything(2048));
        nanos[look] = System.nanoTime() - start;
        assertThat(view.blocks()).isEqualTo(BLOCKS);
        assertThat(view.blockBytes()).isEqualTo(blockBytes);
      }
      System.out.printf(
          "a look at %,d blocks in %,d MiB: first %.1f ms, last %.1f ms%n",
          BLOCKS, pool.liveBytes() >> 20, nanos[0] / 1e6, nanos[LOOKS - 1] / 1e6);
      for (Block block : blocks) {
        block.release();
      }
      heap.close();
    }
  }
}
