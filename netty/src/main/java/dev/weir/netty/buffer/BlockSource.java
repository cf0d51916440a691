package dev.weir.netty.buffer;

import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Hardener;
import dev.weir.memory.heap.Block;
import dev.weir.memory.heap.BlockContainer;
import dev.weir.memory.heap.BlockFactory;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SharedHeap.Stripe;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.profile.ByteCountdown;
import dev.weir.memory.profile.LiveSample;
import dev.weir.memory.profile.Sampler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultChannelPipeline;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.jspecify.annotations.Nullable;

/**
 * Where the direct buffers of one allocator, or of one view of it, get their blocks: a pool, the
 * heaps of its threads, and the budget that pays. A buffer keeps its source for as long as it
 * lives, grows from it, and gives its block back to it.
 *
 * <p>A buffer that the pool's profile has sampled has a source of its own, which ends the sample:
 * so no other buffer has a field for one.
 */
final class BlockSource {
  /** Netty's own first and last handler, which keep nothing. */
  private static final String PIPELINE_ENDS = DefaultChannelPipeline.class.getName() + "$";

  private final Pool pool;
  private final Budget budget;

  /** The budget, if it keeps count: the pool's root does not. */
  private final @Nullable Budget counting;

  private final BudgetedAllocator allocator;

  /** Draws which buffers are hardened; null if none are. */
  private final @Nullable Hardener hardener;

  /** Takes the samples of the pool's profile; null if there is none. */
  private final @Nullable Sampler sampler;

  /** Whether there is none of these: nothing is drawn for a buffer, and nobody pays for it. */
  private final boolean plain;

  /** Ends with the buffer that this source belongs to; null for the source of all others. */
  private final @Nullable LiveSample sample;

  /** The {@link #counting} budget, if to give a block's charge back is all there is to its end. */
  private final @Nullable Budget repaid;

  /**
   * Blocks of {@code pool}, charged to {@code budget}, for buffers whose {@code alloc()} is {@code
   * allocator}.
   *
   * @throws IllegalArgumentException if the budget is not of this pool
   */
  BlockSource(Pool pool, Budget budget, BudgetedAllocator allocator) {
    this(pool, budget, allocator, /* sample= */ null);
  }

  private BlockSource(
      Pool pool, Budget budget, BudgetedAllocator allocator, @Nullable LiveSample sample) {
    if (!budget.isOfSameTree(pool.rootBudget())) {
      throw new IllegalArgumentException(
          "budget '%s' is not of pool '%s'".formatted(budget.path(), pool.options().name()));
    }
    this.hardener = pool.hardener();
    this.sampler = pool.sampler();
    this.sample = sample;
    this.pool = pool;
    this.budget = budget;
    this.counting = budget.isTracked() ? budget : null;
    this.repaid = sample == null ? counting : null;
    this.plain = hardener == null && sampler == null && counting == null && sample == null;
    this.allocator = allocator;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  /**
   * A buffer with a reference count of 1 and undefined contents, which no leak detector watches.
   *
   * @throws dev.weir.memory.budget.BudgetExceededError when the budget or the pool has no room
   */
  ByteBuf buffer(@Nullable OwnedHeap heap, int capacity, int maxCapacity) {
    if (plain) {
      return opened(heap, capacity, maxCapacity, /* payer= */ null);
    }
    if (isHardenedNext(heap)) {
      ByteBuf hardened = tryHardened(heap, capacity, maxCapacity, WeirByteBuf.DETACHED);
      if (hardened != null) {
        return hardened;
      }
    }
    return isSampleDue(heap, capacity)
        ? profiled(heap, capacity, maxCapacity, WeirByteBuf.resting(capacity))
        : opened(heap, capacity, maxCapacity, counting);
  }

  /** The same for a thread that has no heap, but may have a stripe that leans towards it. */
  ByteBuf sharedBuffer(@Nullable Stripe stripe, int capacity, int maxCapacity) {
    if (plain && isSlot(capacity) && !pool.isClosed()) {
      if (stripe != null
          && stripe.tryTakeReady(SizeClasses.classOf(capacity), WeirByteBuf.AT_REST)
              instanceof WeirByteBuf next) {
        next.open(this, capacity, maxCapacity);
        return next;
      }
      allocator.lookForStripe();
    }
    return buffer(/* heap= */ null, capacity, maxCapacity);
  }

  /** Whether so many bytes are served by a slot, and not none. */
  private static boolean isSlot(int capacity) {
    return Integer.compareUnsigned(capacity - 1, SizeClasses.MAX_SLOT_BYTES) < 0;
  }

  /** The buffer that nothing has been drawn for: nearly all of them. */
  private WeirByteBuf opened(
      @Nullable OwnedHeap heap, int capacity, int maxCapacity, @Nullable Budget payer) {
    if (heap != null && isSlot(capacity)) {
      int sizeClass = SizeClasses.classOf(capacity);
      if (heap.peekCached(sizeClass) instanceof WeirByteBuf next
          && next.isAtRest()
          && heap.tryTakePeeked(sizeClass, payer)) {
        next.open(this, capacity, maxCapacity);
        return next;
      }
    }
    return openedAtLast(heap, capacity, maxCapacity);
  }

  private WeirByteBuf openedAtLast(@Nullable OwnedHeap heap, int capacity, int maxCapacity) {
    WeirByteBuf buffer = pool.allocate(heap, capacity, budget, WeirByteBuf.resting(capacity));
    buffer.open(this, capacity, maxCapacity);
    return buffer;
  }

  private boolean isHardenedNext(@Nullable OwnedHeap heap) {
    return hardener != null && hardener.takesNext(heap == null ? null : heap.hardeningCountdown());
  }

  /**
   * A buffer over a hardened block, which nobody else will ever see; null where there is no room
   * for one.
   */
  private @Nullable ByteBuf tryHardened(
      @Nullable OwnedHeap heap,
      int capacity,
      int maxCapacity,
      BlockFactory<? extends WeirByteBuf> factory) {
    WeirByteBuf memory = pool.tryAllocateHardened(capacity, budget, factory);
    if (memory == null) {
      return null; // The buffer that takes its place is counted for the profile.
    }
    memory.open(this, capacity, maxCapacity);
    if (isSampleDue(heap, capacity)) {
      BlockSource source = sampling(heap, capacity);
      memory.open(source, capacity, maxCapacity);
      source.resizeSample(memory.memoryBytes());
    }
    return explaining(memory);
  }

  /** Wraps it if its block is hardened; releases it if that fails. */
  private static ByteBuf explaining(WeirByteBuf memory) {
    BlockHistory history = memory.history();
    if (history == null) {
      return memory;
    }
    try {
      return new HardenedByteBuf(memory, history);
    } catch (OutOfMemoryError | StackOverflowError e) {
      memory.release();
      throw e;
    }
  }

  private boolean isSampleDue(@Nullable OwnedHeap heap, int capacity) {
    return sampler != null && countdown(sampler, heap).reach(capacity);
  }

  private static ByteCountdown countdown(Sampler sampler, @Nullable OwnedHeap heap) {
    ByteCountdown own = heap == null ? null : heap.countdown();
    return own == null ? sampler.ofThread() : own;
  }

  private <B extends WeirByteBuf> B profiled(
      @Nullable OwnedHeap heap, int capacity, int maxCapacity, BlockFactory<B> factory) {
    BlockSource source = sampling(heap, capacity);
    B buffer = null;
    try {
      buffer = pool.allocate(heap, capacity, budget, factory);
      buffer.open(source, capacity, maxCapacity);
    } finally {
      if (buffer == null) {
        source.endSample();
      }
    }
    source.resizeSample(buffer.memoryBytes());
    return buffer;
  }

  /** The source of a buffer whose sample is due. */
  private BlockSource sampling(@Nullable OwnedHeap heap, int bytes) {
    if (sampler == null) {
      return this;
    }
    LiveSample taken = sampler.take(countdown(sampler, heap), bytes, budget);
    return taken == null ? this : holding(taken);
  }

  private BlockSource holding(LiveSample taken) {
    try {
      return new BlockSource(pool, budget, allocator, taken);
    } catch (OutOfMemoryError | StackOverflowError e) {
      taken.end();
      return this;
    }
  }

  private void endSample() {
    if (sample != null) {
      sample.end();
    }
  }

  /** Of a sampled buffer: a handler has got it, and is named by the profile until the next one. */
  void touched(Object hint) {
    if (sample != null && hint instanceof ChannelHandlerContext context) {
      String handler = context.handler().getClass().getName();
      if (!handler.startsWith(PIPELINE_ENDS)) {
        sample.touchedBy(handler);
      }
    }
  }

  private void resizeSample(long bytes) {
    if (sample != null) {
      sample.resize(bytes);
    }
  }

  /**
   * The source of a buffer that has come to a block of another size, by growth or by shrinking: its
   * sample ends, and it is drawn anew with all its bytes.
   *
   * @param capacity what was asked for
   * @param memoryBytes what the block has
   */
  BlockSource resized(int capacity, int memoryBytes) {
    if (sampler == null) {
      return this;
    }
    try {
      endSample();
      BlockSource unsampled = sample == null ? this : withoutSample();
      OwnedHeap heap = allocator.heap();
      if (!isSampleDue(heap, capacity)) {
        return unsampled;
      }
      BlockSource sampling = unsampled.sampling(heap, capacity);
      sampling.resizeSample(memoryBytes);
      return sampling;
    } catch (OutOfMemoryError | StackOverflowError e) {
      return this; // The buffer has its new block; whoever resized it need not hear of a sample.
    }
  }

  private BlockSource withoutSample() {
    try {
      return new BlockSource(pool, budget, allocator);
    } catch (OutOfMemoryError javaHeapFull) {
      return this; // Its sample has ended.
    }
  }

  /** As {@link #buffer}, but never used again after its release: for Netty's wrappers. */
  ByteBuf detachedBuffer(@Nullable OwnedHeap heap, int capacity, int maxCapacity) {
    return lasting(heap, capacity, maxCapacity, WeirByteBuf.DETACHED);
  }

  /** As {@link #detachedBuffer}: a {@link LeakTrackedByteBuf} that nobody watches yet. */
  ByteBuf trackedBuffer(@Nullable OwnedHeap heap, int capacity, int maxCapacity) {
    return lasting(heap, capacity, maxCapacity, LeakTrackedByteBuf.FACTORY);
  }

  private <B extends WeirByteBuf> ByteBuf lasting(
      @Nullable OwnedHeap heap, int capacity, int maxCapacity, BlockFactory<B> factory) {
    if (isHardenedNext(heap)) {
      ByteBuf hardened = tryHardened(heap, capacity, maxCapacity, factory);
      if (hardened != null) {
        return hardened;
      }
    }
    if (isSampleDue(heap, capacity)) {
      return profiled(heap, capacity, maxCapacity, factory);
    }
    B buffer = pool.allocate(heap, capacity, budget, factory);
    buffer.open(this, capacity, maxCapacity);
    return buffer;
  }

  /**
   * A detached buffer over a live block, which it takes over: its last release is the block's. If
   * there is no Java heap for that, the block is released.
   *
   * @throws IllegalArgumentException if the block is another pool's; nothing has changed then
   * @throws IllegalStateException if the block has been released
   */
  ByteBuf over(Block block, int capacity, int maxCapacity) {
    BlockSource paying;
    WeirByteBuf buffer;
    try {
      LiveSample known = block.sample();
      BlockSource payer = paidBy(block.budget());
      paying = known == null ? payer : payer.holding(known);
      boolean watched =
          LeakSampling.IS_WEIRS
              && ResourceLeakDetector.getLevel() == Level.SIMPLE
              && LeakSampling.takesNext(allocator.heap());
      buffer =
          watched
              ? block.handOverTo(LeakTrackedByteBuf.FACTORY)
              : block.handOverTo(WeirByteBuf.DETACHED);
    } catch (OutOfMemoryError | StackOverflowError noRoom) {
      block.release();
      throw noRoom;
    }
    buffer.open(paying, capacity, maxCapacity);
    return explaining(buffer);
  }

  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  private BlockSource paidBy(Budget payer) {
    return payer == budget ? this : new BlockSource(pool, payer, allocator);
  }

  /**
   * A block for whoever can do without: null also where the pool is closed, the system fails, or
   * the Java heap is full.
   */
  @Nullable Place tryPlace(int bytes) {
    try {
      Place hardened = tryHardenedPlace(bytes);
      return hardened != null
          ? hardened
          : pool.tryAllocateAtOnce(allocator.heap(), bytes, budget, Place.FACTORY);
    } catch (IllegalStateException | NativeMemoryException | OutOfMemoryError e) {
      return null;
    }
  }

  /** A hardened place, where all are: of a sample, those that grow cease to be hardened. */
  private @Nullable Place tryHardenedPlace(int bytes) {
    return hardener == null || !hardener.isFull()
        ? null
        : pool.tryAllocateHardened(bytes, budget, Place.FACTORY);
  }

  /**
   * A place that can grow further, or a hardened one, for what lies at {@code outgrown} until now.
   */
  Place growingPlace(BlockContainer outgrown, int bytes) {
    Place hardened = tryHardenedPlace(bytes);
    return hardened != null
        ? hardened
        : pool.allocateGrowing(allocator.heap(), outgrown, bytes, budget, Place.FACTORY);
  }

  /** Grows a block without copying it, if that can be done; it may lie elsewhere then. */
  boolean tryGrow(BlockContainer home, int bytes) {
    return home.tryGrow(bytes, budget);
  }

  /** The same with pages of a grant. */
  boolean tryGrow(BlockContainer home, int bytes, Grant grant) {
    return grant.tryGrow(home, bytes, budget);
  }

  /** Gives back the last block of a buffer, which is released. Any thread. */
  void end(BlockContainer home, int number) {
    if (plain) {
      home.free(number);
    } else if (repaid != null) {
      home.release(number, repaid);
    } else {
      endSampled(home, number);
    }
  }

  private void endSampled(BlockContainer home, int number) {
    try {
      endSample();
    } finally {
      giveBack(home, number);
    }
  }

  /** Gives a block and its charge back. Any thread. */
  void giveBack(BlockContainer home, int number) {
    if (counting == null) {
      home.free(number);
    } else {
      home.release(number, counting);
    }
  }
}
