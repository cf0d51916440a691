package dev.weir.memory;

import dev.weir.memory.array.ArrayPool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.heap.BlockContainer;
import dev.weir.memory.heap.BlockFactory;
import dev.weir.memory.heap.HardenedRun;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SharedHeap;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.jfr.FlightRecords;
import dev.weir.memory.sampling.AllocationStack;
import dev.weir.memory.sampling.LiveSample;
import dev.weir.memory.sampling.Sampler;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The inside of a pool, for an allocator that has an object of its own for each block: a buffer,
 * say. {@code dev.weir.netty} is built on it, and is the one module that can name the types here.
 * Everybody else uses {@link Pool} and {@link Block}.
 *
 * <p>What is drawn for a block is drawn here, for a {@link Pool}'s own blocks too: whether it is
 * hardened, and whether it is sampled. Thread-safe; a heap belongs to its thread.
 */
@SuppressWarnings("exports") // heaps, arrays and samples are exported to dev.weir.netty alone
public final class AllocatorSupport {
  private final String poolName;
  private final Budget root;
  private final PoolLedger ledger;
  private final ArrayPool arrays;
  private final PoolLife life;
  private final @Nullable Sampler sampler;
  private final @Nullable Hardener hardener;
  private final BlockFactory<Block> rootBlocks;
  private final LongAdder refusals = new LongAdder();

  AllocatorSupport(
      Budget root,
      PoolLedger ledger,
      ArrayPool arrays,
      PoolLife life,
      @Nullable Sampler sampler,
      @Nullable Hardener hardener) {
    this.poolName = root.name();
    this.root = root;
    this.ledger = ledger;
    this.arrays = arrays;
    this.life = life;
    this.sampler = sampler;
    this.hardener = hardener;
    this.rootBlocks = Block.factory(root);
  }

  /** That of a pool: always the same. */
  public static AllocatorSupport of(Pool pool) {
    return pool.support();
  }

  // Where blocks come from.

  /**
   * Creates a heap for the calling thread.
   *
   * @param owner runs tasks on that thread, so that it can be asked to close the heap when the pool
   *     is closed; it may drop them
   * @throws IllegalStateException if the pool is closed
   */
  public OwnedHeap ownedHeap(Executor owner) {
    return life.core().ownedHeap(owner);
  }

  /**
   * What the calling thread, which has no heap of its own, may take slots from without asking the
   * pool, for as long as this is open: whoever does that looks. Such blocks are charged to the root
   * budget, and neither sampled nor hardened.
   *
   * @return null if it has nothing of the kind
   * @throws IllegalStateException if the pool is closed
   */
  public SharedHeap.@Nullable Stripe leaningStripe() {
    return life.core().shared().leaningStripe();
  }

  /** The byte arrays behind heap buffers. */
  public ArrayPool arrays() {
    return arrays;
  }

  /** Whether the pool is closed. */
  public boolean isClosed() {
    return life.isClosed();
  }

  /**
   * Asks that a budget be one of this pool.
   *
   * @throws IllegalArgumentException if it is another pool's
   */
  public void requireOwn(Budget budget) {
    if (!budget.isOfSameTree(root)) {
      throw new IllegalArgumentException(
          "budget '%s' is not of pool '%s'".formatted(budget.path(), poolName));
    }
  }

  // Blocks for which nothing is drawn.

  /**
   * Allocates a block.
   *
   * @param heap the calling thread's own, or null
   * @param factory finds or makes the object
   * @throws BudgetExceededError as {@link Pool#allocate(long)}
   */
  public <T> T allocate(
      @Nullable OwnedHeap heap, long bytes, Budget budget, BlockFactory<T> factory) {
    return notNull(tryAllocate(heap, bytes, budget, factory), bytes, budget);
  }

  /** As {@link #allocate}, but returns null for a refusal. */
  public <T> @Nullable T tryAllocate(
      @Nullable OwnedHeap heap, long bytes, Budget budget, BlockFactory<T> factory) {
    requireOwn(budget);
    T object;
    if (heap == null || bytes < 0 || bytes > SizeClasses.MAX_SLOT_BYTES || heap.isClosed()) {
      object = SlowAllocation.tryAllocate(life.core(), heap, bytes, budget, factory);
    } else {
      int sizeClass = SizeClasses.classOf((int) Math.max(bytes, 1));
      object =
          isRoot(budget)
              ? heap.tryAllocate(sizeClass, factory)
              : heap.tryAllocate(sizeClass, budget, factory);
      if (object == null) {
        object = SlowAllocation.tryAgain(life.core(), heap, bytes, budget, factory);
      }
    }
    if (object == null) {
      countRefusal(budget, bytes);
    }
    return object;
  }

  /**
   * As {@link #tryAllocate}, for those who can do without: takes what is free or dirty, but nothing
   * from the quarantine, from heaps or from reclaimers, and null is reported as no refusal.
   * Hardened where all blocks are.
   */
  public <T> @Nullable T tryAllocateAtOnce(
      @Nullable OwnedHeap heap, long bytes, Budget budget, BlockFactory<T> factory) {
    requireOwn(budget);
    T hardened = hardensAll() ? tryAllocateHardened(bytes, budget, factory) : null;
    return hardened != null
        ? hardened
        : SlowAllocation.tryAllocateAtOnce(life.core(), heap, bytes, budget, factory);
  }

  /**
   * Allocates a block that can grow, or is hardened where all are, in the place of one that could
   * not grow to so many bytes: an error says what that one lacked.
   *
   * @param outgrown the container of that one
   * @throws BudgetExceededError as {@link Pool#allocateGrowing}
   */
  public <T> T allocateGrown(
      @Nullable OwnedHeap heap,
      BlockContainer outgrown,
      long bytes,
      Budget budget,
      BlockFactory<T> factory) {
    requireOwn(budget);
    T hardened = hardensAll() ? tryAllocateHardened(bytes, budget, factory) : null;
    return hardened != null ? hardened : allocateGrowing(heap, outgrown, bytes, budget, factory);
  }

  /** Allocates a block that can grow; {@code outgrown} is null if it is nobody's successor. */
  <T> T allocateGrowing(
      @Nullable OwnedHeap heap,
      @Nullable BlockContainer outgrown,
      long bytes,
      Budget budget,
      BlockFactory<T> factory) {
    if (bytes <= SizeClasses.MAX_SLOT_BYTES) {
      return allocate(heap, bytes, budget, factory);
    }
    T object = SlowAllocation.tryAllocateGrowing(life.core(), heap, bytes, budget, factory);
    if (object == null) {
      BudgetExceededError refusal =
          outgrown == null
              ? refusal(bytes, budget)
              : Refusals.ofGrowth(
                  life.core().pages(), outgrown, bytes, budget, ledger.limitBytes());
      countRefusal(budget, refusal.requestedBytes());
      throw refusal;
    }
    return object;
  }

  // What is drawn.

  /** Whether anything is ever drawn: without profile and hardening, nothing is. */
  public boolean draws() {
    return hardener != null || sampler != null;
  }

  /** Draws whether the next block is to be hardened. */
  public boolean drawHardened(@Nullable OwnedHeap heap) {
    return hardener != null && hardener.drawNext(heap == null ? null : heap.hardeningCountdown());
  }

  private boolean hardensAll() {
    return hardener != null && hardener.isFull();
  }

  /**
   * Allocates a hardened block: one that has been drawn.
   *
   * @return null where there is no room for the pages that it takes; then allocate as ever
   */
  public <T> @Nullable T tryAllocateHardened(long bytes, Budget budget, BlockFactory<T> factory) {
    return hardener == null || !budget.isOfSameTree(root)
        ? null
        : HardenedRun.tryAllocate(hardener, life.core().pages(), bytes, budget, factory);
  }

  /**
   * Draws whether a block is sampled for the profile.
   *
   * @param bytes what the block counts
   * @return the sample, which ends with the block; null if none is taken, which is nearly always so
   */
  public @Nullable LiveSample drawSample(@Nullable OwnedHeap heap, long bytes, Budget budget) {
    return BlockSamples.draw(sampler, heap, bytes, budget);
  }

  // Blocks of the pool, for which both are drawn.

  /**
   * Allocates a {@link Block}.
   *
   * @param heap the calling thread's own, or null
   * @throws BudgetExceededError as {@link Pool#allocate(long)}
   */
  public Block allocateBlock(@Nullable OwnedHeap heap, long bytes, Budget budget) {
    return notNull(tryAllocateBlock(heap, bytes, budget), bytes, budget);
  }

  /** As {@link #allocateBlock}, but returns null for a refusal. */
  public @Nullable Block tryAllocateBlock(@Nullable OwnedHeap heap, long bytes, Budget budget) {
    BlockFactory<Block> factory = blocksOf(budget);
    Block block = tryHardened(heap, bytes, budget, factory);
    if (block == null) {
      block = tryAllocate(heap, bytes, budget, factory);
    }
    return sampled(heap, bytes, block);
  }

  Block allocateGrowingBlock(long bytes, Budget budget) {
    requireOwn(budget);
    BlockFactory<Block> factory = blocksOf(budget);
    Block block = tryHardened(/* heap= */ null, bytes, budget, factory);
    if (block == null) {
      block = allocateGrowing(/* heap= */ null, /* outgrown= */ null, bytes, budget, factory);
    }
    BlockSamples.draw(sampler, /* heap= */ null, bytes, block);
    return block;
  }

  @Nullable Block tryAllocateBlockAtOnce(long bytes, Budget budget) {
    Block block = tryAllocateAtOnce(/* heap= */ null, bytes, budget, blocksOf(budget));
    return sampled(/* heap= */ null, bytes, block);
  }

  @Nullable Block tryAllocateGrowingBlockAtOnce(long bytes, Budget budget) {
    requireOwn(budget);
    return sampled(
        /* heap= */ null,
        bytes,
        SlowAllocation.tryAllocateGrowingAtOnce(life.core(), bytes, budget, blocksOf(budget)));
  }

  private @Nullable Block tryHardened(
      @Nullable OwnedHeap heap, long bytes, Budget budget, BlockFactory<Block> factory) {
    return drawHardened(heap) ? tryAllocateHardened(bytes, budget, factory) : null;
  }

  private @Nullable Block sampled(@Nullable OwnedHeap heap, long bytes, @Nullable Block block) {
    if (block != null) {
      BlockSamples.draw(sampler, heap, bytes, block);
    }
    return block;
  }

  private BlockFactory<Block> blocksOf(Budget budget) {
    return isRoot(budget) ? rootBlocks : Block.factory(budget);
  }

  // Blocks that become another object's.

  /** What the profile knows of a block; null if it has not been sampled. */
  public static @Nullable LiveSample sampleOf(Block block) {
    return block.sample();
  }

  /**
   * Ends the life of a {@link Block} but not of the memory, which {@code heir} stands for from now
   * on, the charge and the {@linkplain #sampleOf sample} included.
   *
   * @param heir leaves nothing at the slot, which only allocations may: another thread may be at it
   * @throws IllegalStateException if the block has been released
   */
  public static <T> T handOver(Block block, BlockFactory<T> heir) {
    return block.handOverTo(heir);
  }

  /**
   * Lengthens a block with pages of a grant, as {@link Grant#tryGrow} does.
   *
   * @param payer what the block is charged to
   */
  public static boolean tryGrow(
      Grant grant, BlockContainer container, long minBytes, Budget payer) {
    return grant.tryGrow(container, minBytes, payer);
  }

  // Refusals.

  long refusals() {
    return refusals.sum();
  }

  void countRefusal(Budget budget, long bytes) {
    refusals.increment();
    FlightRecords.refused(budget, bytes, AllocationStack.CALLER);
  }

  private <T> T notNull(@Nullable T object, long bytes, Budget budget) {
    if (object == null) {
      throw refusal(bytes, budget);
    }
    return object;
  }

  BudgetExceededError refusal(long bytes, Budget budget) {
    return Refusals.of(life.core().pages(), bytes, budget, ledger.limitBytes());
  }

  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  private boolean isRoot(Budget budget) {
    return budget == root;
  }
}
