package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.hardening.Hardener;
import dev.weir.memory.heap.Block;
import dev.weir.memory.heap.HardenedRun;
import dev.weir.memory.heap.RunHeap;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.profile.Sampler;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Pages promised to one task before it starts. What is allocated from it is never refused for want
 * of memory. The rest is given back by {@link #close}. Thread-safe.
 */
public final class Grant implements AutoCloseable {
  private final PageHeap pages;
  private final RunHeap runs;
  private final Budget budget;
  private final @Nullable Sampler sampler;
  private final @Nullable Hardener hardener;
  private final long bytes;
  private final Lane lane;
  private final AtomicLong remainingBytes;
  private volatile boolean closed;

  /** The pages have been promised in that lane, and the budget has been charged for them. */
  Grant(
      PageHeap pages,
      RunHeap runs,
      Budget budget,
      @Nullable Sampler sampler,
      @Nullable Hardener hardener,
      long bytes,
      Lane lane) {
    this.runs = runs;
    this.sampler = sampler;
    this.hardener = hardener;
    this.pages = pages;
    this.budget = budget;
    this.bytes = bytes;
    this.lane = lane;
    this.remainingBytes = new AtomicLong(bytes);
  }

  /** What it is charged to, from the promise on until its blocks are released. */
  public Budget budget() {
    return budget;
  }

  /** What was promised, in bytes: the request rounded up to whole pages. */
  public long bytes() {
    return bytes;
  }

  /** What is left of it. */
  public long remainingBytes() {
    return remainingBytes.get();
  }

  /**
   * Allocates a run of pages out of the promise.
   *
   * @throws IllegalArgumentException if the size is not positive
   * @throws IllegalStateException if less than that, in whole pages, is left
   */
  public Block allocate(long size) {
    if (size <= 0) {
      throw new IllegalArgumentException("size is not positive: " + size);
    }
    long runBytes = runs.roundUp(size);
    take(runBytes);
    Block block = null;
    try {
      block = tryHardened(size, runBytes);
      if (block == null) {
        block = runs.tryAllocatePromised(runBytes, lane, Block.tenants(budget));
      }
    } finally {
      if (block == null) {
        putBack(runBytes);
      }
    }
    if (block == null) {
      throw new BudgetExceededError(
          budget.root(),
          runBytes,
          "no free run of addresses is long enough: " + pages.reservation().plan().guarantee());
    }
    return BlockSamples.counted(sampler, null, size, block);
  }

  /** A hardened block charges what was asked for, and not its pages. */
  private @Nullable Block tryHardened(long size, long runBytes) {
    if (hardener == null || !hardener.takesNext(/* own= */ null)) {
      return null;
    }
    Block block =
        HardenedRun.tryAllocatePromised(hardener, pages, size, lane, Block.tenants(budget));
    if (block != null) {
      budget.uncharge(runBytes - size);
    }
    return block;
  }

  private void take(long runBytes) {
    long left;
    do {
      left = remainingBytes.get();
      if (runBytes > left) {
        throw new IllegalStateException(
            "%,d bytes, in whole pages, asked of a grant that has %,d left"
                .formatted(runBytes, left));
      }
    } while (!remainingBytes.compareAndSet(left, left - runBytes));
  }

  /** Either this sees the flag of {@link #close}, or that finds these bytes. */
  private void putBack(long runBytes) {
    remainingBytes.addAndGet(runBytes);
    if (closed) {
      giveBackRest();
    }
  }

  /** Gives back what is left. Further calls do nothing. */
  @Override
  public void close() {
    closed = true;
    giveBackRest();
  }

  private void giveBackRest() {
    long left = remainingBytes.getAndSet(0);
    if (left > 0) {
      pages.promises().giveBack(left, lane);
      budget.uncharge(left);
    }
  }
}
