package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.Workers;
import org.junit.jupiter.api.Test;

/** An owner that puts its own slots back where its stack comes to an end. */
class EndOfAnOwnersStackTest {
  private static final int SIZE_CLASS = SizeClasses.classOf(65_536);
  private static final int ROUNDS = 3;
  private static final long STACK_BYTES = 256 << 10;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), 16 << 20);
  private final Slot[] slots = new Slot[20];
  private int freed;
  private final SharedHeap heir = new SharedHeap(pages, 1, InsidePurge::run);

  /** Those that were full are in no list until the first slot of theirs comes back. */
  @Test
  void slabsAreParkedAtTheNextLook() throws InterruptedException {
    Workers workers = new Workers();
    workers.platformWithStack(
        STACK_BYTES,
        () -> {
          OwnedHeap heap = new OwnedHeap(pages, task -> {}, heir, InsidePurge::run);
          for (int round = 0; round < ROUNDS; round++) {
            freeAll(heap);
            heap.trim(InsidePurge::run);
            assertThat(pages.totals().liveBytes()).isZero();
          }
        });
    workers.join();
    pages.checkInvariants();
  }

  @Test
  void slabsAreHandedOver() throws InterruptedException {
    Workers workers = new Workers();
    workers.platformWithStack(
        STACK_BYTES,
        () -> {
          for (int round = 0; round < ROUNDS; round++) {
            OwnedHeap heap = new OwnedHeap(pages, task -> {}, heir, InsidePurge::run);
            freeAll(heap);
            heap.close();
            assertThat(pages.totals().liveBytes()).isZero();
          }
        });
    workers.join();
    pages.checkInvariants();
  }

  /** Three slabs, two of them full. */
  private void freeAll(OwnedHeap heap) {
    for (int i = 0; i < slots.length; i++) {
      slots[i] = heap.tryAllocate(SIZE_CLASS, Slot.TENANTS);
    }
    for (freed = 0; freed < slots.length; ) {
      free(freed);
    }
  }

  /** Frees one, at the last level of the stack that has room for it. */
  @SuppressWarnings("InfiniteRecursion") // which is what is tested
  private void free(int which) {
    try {
      free(which);
    } catch (StackOverflowError e) {
      // This is the last level, or there was no room at the one below.
    }
    if (freed == which) {
      slots[which].free();
      freed++;
    }
  }
}
