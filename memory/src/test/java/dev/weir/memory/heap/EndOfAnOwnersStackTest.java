package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.EndOfStack;
import org.junit.jupiter.api.Test;

/** An owner that puts its own slots back where its stack comes to an end. */
class EndOfAnOwnersStackTest {
  private static final int SIZE_CLASS = SizeClasses.classOf(65_536);
  private static final int ROUNDS = 3;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), 16 << 20);
  private final Slot[] slots = new Slot[20];
  private int freed;
  private final SharedHeap heir = new SharedHeap(pages, 1, InsidePurge::run);

  /** Those that were full are in no list until the first slot of theirs comes back. */
  @Test
  void slabsAreParkedAtTheNextLook() throws InterruptedException {
    EndOfStack.onThread(() -> {
      OwnedHeap heap = new OwnedHeap(pages, task -> {}, heir, InsidePurge::run);
      for (int round = 0; round < ROUNDS; round++) {
        freeAll(heap);
        heap.trim();
        assertThat(pages.totals().liveBytes()).isZero();
      }
    });
    pages.checkInvariants();
  }

  @Test
  void slabsAreHandedOver() throws InterruptedException {
    EndOfStack.onThread(() -> {
      for (int round = 0; round < ROUNDS; round++) {
        OwnedHeap heap = new OwnedHeap(pages, task -> {}, heir, InsidePurge::run);
        freeAll(heap);
        heap.close();
        assertThat(pages.totals().liveBytes()).isZero();
      }
    });
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
  private void free(int which) {
    EndOfStack.descend(() -> {
      if (freed == which) {
        slots[which].free();
        freed++;
      }
    });
  }
}
