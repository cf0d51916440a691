package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.heap.BlockContainer;
import dev.weir.memory.heap.GrowingRun;
import dev.weir.memory.heap.GrowthAid;
import dev.weir.memory.heap.HardenedRun;
import dev.weir.memory.heap.RunHeap;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.sampling.Sampler;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Pages promised to one task before it starts. What is allocated from it is never refused for want
 * of memory. The rest is given back by {@link #close}. Thread-safe.
 */
public final class Grant implements AutoCloseable {
  private final PageHeap pages;
  private final RunHeap runs;
  private final GrowthAid growthAid;
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
      GrowthAid growthAid,
      Budget budget,
      @Nullable Sampler sampler,
      @Nullable Hardener hardener,
      long bytes,
      Lane lane) {
    this.runs = runs;
    this.growthAid = growthAid;
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
    return allocate(size, /* growing= */ false);
  }

  /**
   * The same, of a block that {@link #tryGrow} can lengthen if it has at least 64 KiB. Where no
   * addresses are left for such, and where it is hardened, it cannot.
   */
  public Block allocateGrowing(long size) {
    return allocate(size, /* growing= */ true);
  }

  private Block allocate(long size, boolean growing) {
    if (size <= 0) {
      throw new IllegalArgumentException("size is not positive: " + size);
    }
    long runBytes = wholePages(size);
    take(runBytes);
    Block block = null;
    try {
      block = tryHardened(size, runBytes);
      if (block == null && growing && runBytes >= SizeClasses.MAX_SLOT_BYTES) {
        block =
            GrowingRun.tryAllocateCharged(pages, growthAid, runBytes, lane, Block.factory(budget));
      }
      if (block == null) {
        block = runs.tryAllocatePromised(runBytes, lane, Block.factory(budget));
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
    BlockSamples.draw(sampler, /* heap= */ null, size, block);
    return block;
  }

  /** A hardened block charges what was asked for, and not its pages. */
  private @Nullable Block tryHardened(long size, long runBytes) {
    if (hardener == null || !hardener.drawNext(/* own= */ null)) {
      return null;
    }
    Block block =
        HardenedRun.tryAllocatePromised(hardener, pages, size, lane, Block.factory(budget));
    if (block != null) {
      budget.uncharge(runBytes - size);
    }
    return block;
  }

  /**
   * Lengthens a block with pages of this promise, which may be another than the one that it was
   * allocated from: a task of unknown size asks for one grant after another, each for what comes
   * next. Its contents stay, and its address as {@link Block#tryGrow} says. Asks nobody for room.
   *
   * @return whether {@link Block#size()} is at least {@code minBytes} now; if not, nothing has
   *     changed: the block cannot grow, or no addresses are left for it, or its pages would have to
   *     be copied and there is no room for both. A grant for all of it is the way on then
   * @throws IllegalArgumentException if the block is charged to another budget
   * @throws IllegalStateException if less than what is added, in whole pages, is left, or the block
   *     has been released
   */
  public boolean tryGrow(Block block, long minBytes) {
    return block.tryGrow(minBytes, this::tryGrow);
  }

  /** The same, of any block that is charged to {@code payer}. */
  boolean tryGrow(BlockContainer home, long minBytes, Budget payer) {
    requireOwn(payer);
    if (minBytes <= home.blockBytes()) {
      return true;
    }
    if (!(home instanceof GrowingRun block)) {
      return false;
    }
    long newBytes = wholePages(minBytes);
    long moreBytes = newBytes - block.blockBytes();
    take(moreBytes);
    boolean grown = false;
    try {
      grown = block.tryGrowCharged(newBytes, lane);
    } finally {
      if (!grown) {
        putBack(moreBytes);
      }
    }
    return grown;
  }

  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  private void requireOwn(Budget payer) {
    if (payer != budget) {
      throw new IllegalArgumentException(
          "a block of budget '%s' cannot grow by a grant of '%s'"
              .formatted(payer.path(), budget.path()));
    }
  }

  private long wholePages(long size) {
    if (size > Long.MAX_VALUE / 2) {
      throw tooLittle(size, remainingBytes.get()); // No page is that far: it cannot be rounded up.
    }
    return runs.roundUp(size);
  }

  private static IllegalStateException tooLittle(long askedBytes, long left) {
    return new IllegalStateException(
        "%,d bytes, in whole pages, asked of a grant that has %,d left"
            .formatted(askedBytes, left));
  }

  private void take(long runBytes) {
    long left;
    do {
      left = remainingBytes.get();
      if (runBytes > left) {
        throw tooLittle(runBytes, left);
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
