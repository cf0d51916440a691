package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.guard.Guard;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A block whose mistaken use is found: it has pages of its own and the length that was asked for.
 * What holds of numbers in other homes holds here too, but a second release is refused for ever.
 */
@SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
public final class HardenedRun implements BlockContainer {
  private final Guard guard;

  private HardenedRun(Guard guard) {
    this.guard = guard;
  }

  /**
   * Allocates a block, or returns null where there is no room for the pages that it takes: then the
   * caller allocates one of another kind.
   */
  public static <T> @Nullable T tryAllocate(
      Hardener hardener, PageHeap pages, long bytes, Budget budget, BlockFactory<T> factory) {
    // What fits into no empty pool is not charged for a moment either, nor in the peak.
    if (bytes < 0 || bytes > pages.largestRunBytes() || !budget.tryCharge(bytes)) {
      return null;
    }
    T object = null;
    try {
      Guard guard = hardener.tryGuard(pages, bytes);
      if (guard != null) {
        object = create(hardener, guard, factory);
      }
    } finally {
      if (object == null) {
        budget.uncharge(bytes);
      }
    }
    return object;
  }

  /**
   * Allocates a block out of a promise that covers it, with a canary only where its last page has
   * room for one. Charges nothing. Null as above.
   */
  public static <T> @Nullable T tryAllocatePromised(
      Hardener hardener, PageHeap pages, long bytes, Lane lane, BlockFactory<T> factory) {
    Guard guard = hardener.tryGuardPromised(pages, bytes, RunHeap.roundUp(pages, bytes), lane);
    return guard == null ? null : create(hardener, guard, factory);
  }

  private static <T> @Nullable T create(Hardener hardener, Guard guard, BlockFactory<T> factory) {
    T object = null;
    try {
      object = factory.create(new HardenedRun(guard), 0, null);
    } finally {
      if (object == null) {
        hardener.forget(guard);
        guard.undoRun();
      }
    }
    return object;
  }

  @Override
  public long blockAddress(int number) {
    return guard.address();
  }

  @Override
  public long blockBytes() {
    return guard.bytes();
  }

  @Override
  public MemorySegment segment(int number) {
    return guard.segment();
  }

  @Override
  public boolean tryGrow(long minBytes, Budget budget) {
    return minBytes <= guard.bytes();
  }

  /**
   * As everywhere, but of two releases one is refused.
   *
   * @throws IllegalStateException if the block has been released already
   */
  @Override
  public void free(int number) {
    guard.claimRelease();
    guard.finishRelease();
  }

  @Override
  public void release(int number, Budget payer) {
    guard.claimRelease();
    payer.uncharge(guard.bytes());
    guard.finishRelease();
  }

  @Override
  public BlockHistory history() {
    return guard.history();
  }

  @Override
  public void leave(int number, Object object) {
    // Nobody comes after: the object goes with the run.
  }
}
