package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.callback.FirstFailures;
import dev.weir.memory.heap.PageHeaps;
import dev.weir.memory.heap.PurgesOfSlabs;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.DelegatingNativeMemory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Purges inside slabs while others make more of them: each leads to one more, for long. */
class InsidePurgeQueueTest {
  private static final long LIMIT_BYTES = 64 << 20;
  private static final int SLABS = 20;

  private final PageHeap pages =
      PageHeaps.over(
          new DelegatingNativeMemory(new FakeNativeMemory()) {
            @Override
            public void purge(long address, long bytes) {
              super.purge(address, bytes);
              purged++;
              addNext();
            }
          },
          LIMIT_BYTES);
  private final InsidePurgeQueue queue =
      new InsidePurgeQueue(pages.insidePurges(), new FirstFailures("the test"));
  private final PurgesOfSlabs purges = new PurgesOfSlabs(pages, SLABS);
  private int purged;

  private void addNext() {
    if (purges.hasNext()) {
      queue.add(purges.next());
    }
  }

  @BeforeEach
  void twoWait() {
    addNext();
    addNext();
  }

  /** A trim under traffic would go on for as long as that does. */
  @Test
  void whoSettlesWaitsForThoseThatHaveBegun() {
    queue.settle();
    assertThat(purged).isEqualTo(2);
  }

  /** The purger has more to do: grants wait for it. */
  @Test
  void whatComesMeanwhileIsLeftToTheNextRound() {
    queue.run();
    assertThat(purged).isEqualTo(2);

    for (int round = 0; round < SLABS; round++) {
      queue.run();
    }
    assertThat(purged).isEqualTo(SLABS);
  }
}
