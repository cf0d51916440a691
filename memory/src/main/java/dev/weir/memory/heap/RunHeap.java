package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Runs;
import dev.weir.memory.sync.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * Hands out whole runs of pages as blocks. A few of those that are free keep their object, and what
 * was left with it, for the next: replacing one run by another makes no garbage. Thread-safe.
 */
@SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
public final class RunHeap {
  /** 64 runs and their buffers are some 10 KiB of the Java heap. */
  private static final int MAX_RESTING = 64;

  private final PageHeap pages;

  /** Guards the two fields below; who does not get it at once does without. */
  private final SpinLock lock = new SpinLock();

  private final @Nullable Run[] resting = new Run[MAX_RESTING];
  private int restingCount;

  /** Runs of {@code pages}. */
  public RunHeap(PageHeap pages) {
    this.pages = pages;
  }

  PageHeap pages() {
    return pages;
  }

  /** So many bytes in whole pages. */
  public long roundUp(long bytes) {
    return roundUp(pages, bytes);
  }

  /** So many bytes in whole pages. */
  public static long roundUp(PageHeap pages, long bytes) {
    int pageBytes = pages.pageBytes(); // A power of two: a division takes as long as a cache miss.
    return (bytes + pageBytes - 1) & -pageBytes;
  }

  /** Allocates a run of whole pages, or returns null where the limit or the budget has no room. */
  public <T> @Nullable T tryAllocate(long minBytes, Budget budget, BlockFactory<T> factory) {
    long bytes = roundUp(minBytes);
    if (!budget.tryCharge(bytes)) {
      return null;
    }
    T object = null;
    try {
      long address = pages.runs().allocate(bytes);
      if (address != Runs.FULL) {
        object = create(address, bytes, Lane.LARGE, factory);
      }
    } finally {
      if (object == null) {
        budget.uncharge(bytes);
      }
    }
    return object;
  }

  /**
   * Allocates a run out of a promise that covers it; null if no free run of addresses is long
   * enough. Charges nothing.
   *
   * @param lane of the promise
   */
  public <T> @Nullable T tryAllocatePromised(long bytes, Lane lane, BlockFactory<T> factory) {
    long address = pages.runs().allocatePromised(bytes);
    return address == Runs.FULL ? null : create(address, bytes, lane, factory);
  }

  /** Nothing may be made between the allocation and this: where it fails, nobody has the run. */
  private <T> T create(long address, long bytes, Lane lane, BlockFactory<T> factory) {
    T object = null;
    try {
      object = take().begin(address, bytes, lane, factory);
      return object;
    } finally {
      if (object == null) {
        pages.runs().undo(address, bytes, lane);
      }
    }
  }

  private Run take() {
    Run rested = null;
    if (lock.tryLock()) {
      if (restingCount > 0) {
        rested = resting[--restingCount];
        resting[restingCount] = null;
      }
      lock.unlock();
    }
    return rested == null ? new Run(this) : rested;
  }

  /** Lets the object of a freed run rest; its user must not touch it any more. */
  void rest(Run run) {
    if (lock.tryLock()) {
      if (restingCount < MAX_RESTING) {
        resting[restingCount++] = run;
      }
      lock.unlock();
    }
  }
}
