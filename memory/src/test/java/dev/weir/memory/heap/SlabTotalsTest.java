package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.SpanSize;
import dev.weir.memory.testing.PageHeaps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class SlabTotalsTest {
  private static final long LIMIT_BYTES = 16 << 20;
  private static final int ROUNDS = 200;
  private static final int SLOTS = 1_000;
  private static final int SIZE_CLASS = SizeClasses.classOf(64);
  private static final long TIME_SLICE_NANOS = 50_000_000;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final PageHeap pages = PageHeaps.over(os, LIMIT_BYTES);
  private final SharedHeap heap = new SharedHeap(pages, 1, InsidePurge::run);

  private Slot allocate() {
    return heap.tryAllocate(SIZE_CLASS, Slot.FACTORY);
  }

  @Test
  void areExactWhileTheHeapDropsFreeSlots() {
    whileTheHeapDropsFreeSlots(
        () -> assertThat(SlabTotals.of(pages)[SIZE_CLASS].liveBlocks()).isOne());
  }

  @Test
  void invariantsHoldWhileTheHeapDropsFreeSlots() {
    whileTheHeapDropsFreeSlots(() -> SlabTotals.checkInvariants(pages));
  }

  /** With one slot live. */
  private void whileTheHeapDropsFreeSlots(Runnable look) {
    Slot kept = allocate();
    for (int round = 0; round < ROUNDS; round++) {
      List<Slot> slots = new ArrayList<>();
      for (int i = 0; i < SLOTS; i++) {
        slots.add(allocate());
      }
      slots.forEach(Slot::free);

      CompletableFuture<Void> trimming = CompletableFuture.runAsync(heap::trim);
      while (!trimming.isDone()) {
        look.run();
      }
      trimming.join();
    }
    kept.free();
    heap.trim();
    assertThat(pages.totals().liveBytes()).isZero();
  }

  /** It has to wait for its next time slice, in which it goes on. */
  @Test
  void areExactWhileWhoTakesFreeSlotsIsInterrupted() throws Exception {
    Slot kept = allocate();
    allocate().free();
    Slab slab = slab();
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Void> taking =
        CompletableFuture.runAsync(() -> {
          boolean taken = slab.tryBeginSteal(Slab.ALL);
          begun.countDown();
          assertThat(taken).isTrue();
          LockSupport.parkNanos(TIME_SLICE_NANOS);
          slab.cancelSteal();
        });
    begun.await();
    assertThat(SlabTotals.of(pages)[SIZE_CLASS].liveBlocks()).isOne();
    taking.join();
    kept.free();
  }

  private Slab slab() {
    return Arrays.stream(SpanSize.values())
        .flatMap(size -> Arrays.stream(pages.spans(size)))
        .filter(Slab.class::isInstance)
        .map(Slab.class::cast)
        .findFirst()
        .orElseThrow();
  }
}
