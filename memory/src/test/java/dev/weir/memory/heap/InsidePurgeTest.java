package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import dev.weir.memory.testing.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Purges inside slabs whose system calls fail. */
class InsidePurgeTest {
  private static final long LIMIT_BYTES = 4 << 20;
  private static final int WARM_UPS = 20_000;
  private static final int OVERFLOWS = 10;
  private static final long STACK_BYTES = 256 << 10;

  private final OutOfJavaHeap os = new OutOfJavaHeap();
  private final PageHeap pages = PageHeaps.over(os, LIMIT_BYTES);
  private final SharedHeap heap = new SharedHeap(pages, 1, InsidePurge::run);

  /** Whose caller runs out of stack, say. */
  @Test
  void whatIsNotTakenEndsAndTheOthersAreHandedOn() {
    List<InsidePurge> taken = new ArrayList<>();
    List<InsidePurge> purges = unlinkThree();

    InsidePurge.handOn(
        purges,
        purge -> {
          taken.add(purge);
          if (taken.size() == 2) {
            throw new StackOverflowError("planted");
          }
        });

    assertThat(taken).isEqualTo(purges);
    assertThat(haveAllEnded()).isFalse();
    taken.forEach(InsidePurge::run);
    assertThat(haveAllEnded()).isTrue();
    assertThat(pages.totals().liveBytes())
        .as("what has ended is not run any more: its slab may be using the pages again")
        .isEqualTo((3 + 7) * 65_536);
  }

  private boolean haveAllEnded() {
    return pages.insidePurges().haveEnded(pages.insidePurges().announced());
  }

  private List<InsidePurge> unlinkThree() {
    SharedHeap.Stripe stripe = new SharedHeap.Stripe(pages);
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      slots.add(stripe.allocateSlot(SizeClasses.classOf(65_536), Slot.FACTORY));
    }
    for (int i = 0; i < slots.size(); i++) {
      if (i % 8 != 0) {
        slots.get(i).free();
      }
    }
    List<InsidePurge> purges = new ArrayList<>();
    stripe.unlinks().trim(purges::add);
    assertThat(purges).hasSize(3);
    return purges;
  }

  @Test
  void allOfThemEndAlsoIfOneEndsInAnError() {
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      slots.add(heap.tryAllocate(SizeClasses.classOf(65_536), Slot.FACTORY));
    }
    for (int i = 0; i < slots.size(); i++) {
      if (i % 8 != 0) {
        slots.get(i).free();
      }
    }
    os.failures = 1;

    assertThatThrownBy(heap::trim).isInstanceOf(OutOfMemoryError.class);
    assertThat(haveAllEnded()).isTrue();
    assertThat(pages.totals().liveBytes()).isEqualTo((3 + 7) * 65_536);
    heap.trim();
    assertThat(pages.totals().liveBytes()).isEqualTo(3 * 65_536);
  }

  /** Once it is compiled, its call takes more of the stack than what comes before. */
  @Test
  void whatTheEndOfAStackBreaksOffEnds() throws InterruptedException {
    SharedHeap.Stripe stripe = new SharedHeap.Stripe(pages);
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      slots.add(stripe.allocateSlot(SizeClasses.classOf(65_536), Slot.FACTORY));
    }
    Workers workers = new Workers();
    Workers.Work work =
        () -> {
          for (int i = 0; i < WARM_UPS; i++) {
            purgeOne(stripe, slots, InsidePurge::run);
          }
          for (int i = 0; i < OVERFLOWS; i++) {
            purgeOne(stripe, slots, InsidePurgeTest::runAtTheEndOfTheStack);
          }
        };
    workers.platformWithStack(STACK_BYTES, work);
    workers.join();
  }

  private void purgeOne(SharedHeap.Stripe stripe, List<Slot> slots, Consumer<InsidePurge> runner) {
    slots.removeLast().free();
    List<InsidePurge> purges = new ArrayList<>();
    stripe.unlinks().trim(purges::add);
    runner.accept(purges.getFirst());
    assertThat(haveAllEnded()).isTrue();
    slots.add(stripe.allocateSlot(SizeClasses.classOf(65_536), Slot.FACTORY));
  }

  @SuppressWarnings("InfiniteRecursion") // which is what is tested
  private static void runAtTheEndOfTheStack(InsidePurge purge) {
    try {
      runAtTheEndOfTheStack(purge);
    } catch (StackOverflowError e) {
      // This is the last level, or the purge ran out of stack at the one below.
    }
    purge.run();
  }

  /** A system whose calls may find no room for their own objects. */
  private static final class OutOfJavaHeap implements NativeMemory {
    private int failures;

    @Override
    public int pageBytes() {
      return 4096;
    }

    @Override
    public boolean canPurge() {
      return true;
    }

    @Override
    public long reserve(long bytes) {
      return 1L << 40;
    }

    @Override
    public void purge(long address, long bytes) {
      if (failures-- > 0) {
        throw new OutOfMemoryError("Java heap space, says the fake");
      }
    }

    @Override
    public void release(long address, long bytes) {}
  }
}
