package dev.weir.netty.buffer;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.Block;
import dev.weir.memory.Grant;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.heap.BlockContainer;
import dev.weir.memory.heap.BlockFactory;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SharedHeap.Stripe;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.sampling.LiveSample;
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

  private final AllocatorSupport support;
  private final Budget budget;

  /** The budget, if it keeps count: the pool's root does not. */
  private final @Nullable Budget counting;

  private final BudgetedAllocator allocator;

  /** Whether anything is drawn for a buffer: that it is hardened, or sampled. */
  private final boolean draws;

  /** Whether nothing is, and nobody pays: neither the budget counts nor a sample ends. */
  private final boolean plain;

  /** Ends with the buffer that this source belongs to; null for the source of all others. */
  private final @Nullable LiveSample sample;

  /** The {@link #counting} budget, if to give a block's charge back is all there is to its end. */
  private final @Nullable Budget repaid;

  /**
   * Blocks of a pool, charged to {@code budget}, for buffers whose {@code alloc()} is {@code
   * allocator}.
   *
   * @throws IllegalArgumentException if the budget is not of this pool
   */
  BlockSource(AllocatorSupport support, Budget budget, BudgetedAllocator allocator) {
    this(support, budget, allocator, /* sample= */ null);
  }

  private BlockSource(
      AllocatorSupport support,
      Budget budget,
      BudgetedAllocator allocator,
      @Nullable LiveSample sample) {
    support.requireOwn(budget);
    this.support = support;
    this.budget = budget;
    this.counting = budget.isTracked() ? budget : null;
    this.allocator = allocator;
    this.draws = support.draws();
    this.sample = sample;
    this.repaid = sample == null ? counting : null;
    this.plain = !draws && counting == null && sample == null;
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
    return draws
        ? drawn(
            heap,
            capacity,
            maxCapacity,
            WeirByteBuf.resting(capacity),
            /* hardenedFactory= */ WeirByteBuf.DETACHED)
        : opened(heap, capacity, maxCapacity);
  }

  /** The same for a thread that has no heap, but may have a stripe that leans towards it. */
  ByteBuf sharedBuffer(@Nullable Stripe stripe, int capacity, int maxCapacity) {
    if (plain && isSlot(capacity) && !support.isClosed()) {
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

  /** A buffer for which nothing is drawn: nearly all of them. */
  private WeirByteBuf opened(@Nullable OwnedHeap heap, int capacity, int maxCapacity) {
    if (heap != null && isSlot(capacity)) {
      int sizeClass = SizeClasses.classOf(capacity);
      if (heap.peekCached(sizeClass) instanceof WeirByteBuf next
          && next.isAtRest()
          && heap.tryTakePeeked(sizeClass, counting)) {
        next.open(this, capacity, maxCapacity);
        return next;
      }
    }
    return opened(heap, capacity, maxCapacity, WeirByteBuf.resting(capacity));
  }

  private <B extends WeirByteBuf> B opened(
      @Nullable OwnedHeap heap, int capacity, int maxCapacity, BlockFactory<B> factory) {
    B buffer = support.allocate(heap, capacity, budget, factory);
    buffer.open(this, capacity, maxCapacity);
    return buffer;
  }

  /**
   * A buffer that may be drawn: over a hardened block, which nobody else will ever see, if there is
   * room for one, and with a sample.
   */
  private ByteBuf drawn(
      @Nullable OwnedHeap heap,
      int capacity,
      int maxCapacity,
      BlockFactory<? extends WeirByteBuf> factory,
      BlockFactory<? extends WeirByteBuf> hardenedFactory) {
    WeirByteBuf buffer = null;
    if (support.drawHardened(heap)) {
      buffer = support.tryAllocateHardened(capacity, budget, hardenedFactory);
    }
    if (buffer == null) {
      buffer = support.allocate(heap, capacity, budget, factory);
    }
    buffer.open(this, capacity, maxCapacity);
    LiveSample taken = support.drawSample(heap, capacity, budget);
    if (taken != null) {
      taken.resize(buffer.memoryBytes());
      buffer.open(holding(taken), capacity, maxCapacity);
    }
    return explaining(buffer);
  }

  /** Wraps it if its block is hardened. */
  private static ByteBuf explaining(WeirByteBuf memory) {
    BlockHistory history = memory.history();
    return history == null ? memory : new HardenedByteBuf(memory, history);
  }

  private BlockSource holding(LiveSample taken) {
    return new BlockSource(support, budget, allocator, taken);
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

  /**
   * The source of a buffer that has come to a block of another size, by growth or by shrinking: its
   * sample ends, and it is drawn anew with all its bytes.
   *
   * @param capacity what was asked for
   * @param memoryBytes what the block has
   */
  BlockSource resized(int capacity, int memoryBytes) {
    if (!draws) {
      return this;
    }
    endSample();
    LiveSample taken = support.drawSample(allocator.heap(), capacity, budget);
    if (taken != null) {
      taken.resize(memoryBytes);
      return holding(taken);
    }
    return sample == null ? this : new BlockSource(support, budget, allocator);
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
    return draws
        ? drawn(heap, capacity, maxCapacity, factory, /* hardenedFactory= */ factory)
        : opened(heap, capacity, maxCapacity, factory);
  }

  /**
   * A detached buffer over a live block, which it takes over: its last release is the block's.
   *
   * @throws IllegalArgumentException if the block is another pool's; nothing has changed then
   * @throws IllegalStateException if the block has been released
   */
  ByteBuf over(Block block, int capacity, int maxCapacity) {
    LiveSample known = AllocatorSupport.sampleOf(block);
    BlockSource payer = paidBy(block.budget());
    BlockSource paying = known == null ? payer : payer.holding(known);
    boolean watched =
        LeakSampling.IS_WEIRS
            && ResourceLeakDetector.getLevel() == Level.SIMPLE
            && LeakSampling.drawNext(allocator.heap());
    WeirByteBuf buffer =
        watched
            ? AllocatorSupport.handOver(block, LeakTrackedByteBuf.FACTORY)
            : AllocatorSupport.handOver(block, WeirByteBuf.DETACHED);
    buffer.open(paying, capacity, maxCapacity);
    return explaining(buffer);
  }

  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  private BlockSource paidBy(Budget payer) {
    return payer == budget ? this : new BlockSource(support, payer, allocator);
  }

  /**
   * A block for whoever can do without: null also where the pool is closed, or the system fails.
   */
  @Nullable Place tryPlace(int bytes) {
    try {
      return support.tryAllocateAtOnce(allocator.heap(), bytes, budget, Place.FACTORY);
    } catch (IllegalStateException | NativeMemoryException e) {
      return null;
    }
  }

  /**
   * A place that can grow further, or a hardened one where all are, for what lies at {@code
   * outgrown} until now.
   */
  Place growingPlace(BlockContainer outgrown, int bytes) {
    return support.allocateGrown(allocator.heap(), outgrown, bytes, budget, Place.FACTORY);
  }

  /** Grows a block without copying it, if that can be done; it may lie elsewhere then. */
  boolean tryGrow(BlockContainer home, int bytes) {
    return home.tryGrow(bytes, budget);
  }

  /** The same with pages of a grant. */
  boolean tryGrow(BlockContainer home, int bytes, Grant grant) {
    return AllocatorSupport.tryGrow(grant, home, bytes, budget);
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
