package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.BlockContainer;
import dev.weir.memory.heap.RunHeap;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageTotals;
import dev.weir.memory.pages.ReservationPlan;
import java.util.Objects;

/**
 * Says why an allocation was refused: which limit has no room for it, or that addresses have not.
 */
final class Refusals {
  private Refusals() {}

  /** Names the budget that has no room, or the pool's pages if each of them has. */
  static BudgetExceededError of(PageHeap pages, long bytes, Budget budget, long limitBytes) {
    return of(pages, bytes, budget, limitBytes, "");
  }

  /** The same for a block that was to grow: where it grows in place, only by what it lacks. */
  static BudgetExceededError ofGrowth(
      PageHeap pages, BlockContainer block, long bytes, Budget budget, long limitBytes) {
    String growth =
        ", for a block of %,d bytes to grow to %,d".formatted(block.blockBytes(), bytes);
    return of(pages, block.neededToGrow(bytes), budget, limitBytes, growth);
  }

  private static BudgetExceededError of(
      PageHeap pages, long bytes, Budget budget, long limitBytes, String purpose) {
    long charge = chargeBytes(pages, bytes);
    Budget limiting = Objects.requireNonNullElse(budget.limiting(charge), budget);
    // What is charged to the root is summed up over all slabs, and is not told.
    long chargedBytes = limiting.isTracked() ? limiting.chargedBytes() : 0;
    if (limiting.isClosed()
        || (limiting.isTracked() && charge > limiting.limitBytes() - chargedBytes)) {
      return new BudgetExceededError(
          limiting, bytes, "charged %,d%s".formatted(chargedBytes, purpose));
    }
    PageTotals totals = pages.totals();
    long reserveBytes = Pool.reserveBytes(limitBytes);
    long osPageBytes = pages.pageBytes();
    String detail =
        "live pages %,d, promised %,d, kept for small blocks %,d%s"
            .formatted(totals.liveBytes(), totals.promisedBytes(), reserveBytes, purpose);
    ReservationPlan plan = pages.reservation().plan();
    long freeBytes = limitBytes - reserveBytes - totals.liveBytes() - totals.promisedBytes();
    // A slot may begin and end inside pages.
    if (plan.halvings() > 0 && charge <= freeBytes - 2 * osPageBytes) {
      detail += "; it is addresses that are missing: " + plan.guarantee();
    }
    return new BudgetExceededError(budget.root(), bytes, detail);
  }

  /** The size of the block that serves a request. */
  static long chargeBytes(PageHeap pages, long bytes) {
    if (bytes <= SizeClasses.MAX_SLOT_BYTES) {
      return SizeClasses.slotBytes(SizeClasses.classOf((int) Math.max(bytes, 1)));
    }
    return bytes > Long.MAX_VALUE / 2 ? bytes : RunHeap.roundUp(pages, bytes);
  }
}
