package dev.weir.netty;

import dev.weir.memory.Block;
import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.buffer.ChargingAllocator;
import dev.weir.netty.buffer.ThreadKnowingAllocator;
import dev.weir.netty.buffer.WeirByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.ResourceLeakDetector;
import org.jspecify.annotations.Nullable;

/**
 * A Netty allocator over a {@link Pool}: its direct buffers live in the pool's memory, its heap
 * buffers in byte arrays that the pool keeps and counts.
 *
 * <p>Event loops on threads made for Netty ({@code FastThreadLocalThread}) get a heap of their own,
 * and allocate without atomics; any other thread, virtual ones and workers without an event loop
 * too, shares the pool's stripes. A buffer may be released by any thread.
 *
 * <p>An allocation that the pool or a budget refuses throws {@link
 * dev.weir.memory.budget.BudgetExceededError}, which is an {@link OutOfMemoryError} as Netty's own;
 * a buffer that could not grow is unharmed.
 *
 * <p>Keep it reachable while its buffers are in use, or close it: an access goes to the memory by
 * its address, so that a buffer which is all that is left of an allocator may be collected, and its
 * memory unmapped, before the last of a loop of accesses.
 *
 * <p>Leaks are tracked by Netty's {@link io.netty.util.ResourceLeakDetector}, at its own levels and
 * rates.
 */
@SuppressWarnings("exports") // All that is inherited is Netty's.
public final class WeirAllocator extends ThreadKnowingAllocator
    implements ByteBufAllocatorMetricProvider, AutoCloseable {
  private final Pool pool;
  private final boolean ownsPool;
  private final boolean preferDirect;
  private final Metric metric;

  /** An allocator that prefers direct buffers, over a pool that its owner closes. */
  public WeirAllocator(Pool pool) {
    this(pool, /* ownsPool= */ false, /* preferDirect= */ true);
  }

  private WeirAllocator(Pool pool, boolean ownsPool, boolean preferDirect) {
    super(pool, preferDirect);
    this.pool = pool;
    this.ownsPool = ownsPool;
    this.preferDirect = preferDirect;
    metric = new Metric(pool);
  }

  /**
   * An allocator over a new pool, which may make {@code limitBytes} resident, and which {@link
   * #close} closes.
   */
  public static WeirAllocator withLimit(long limitBytes) {
    return new WeirAllocator(
        Pool.create(PoolOptions.withLimit(limitBytes)),
        /* ownsPool= */ true,
        /* preferDirect= */ true);
  }

  /**
   * An allocator whose {@code buffer()} methods give heap buffers; the direct ones are the same.
   */
  public static WeirAllocator preferringHeap(Pool pool) {
    return new WeirAllocator(pool, /* ownsPool= */ false, /* preferDirect= */ false);
  }

  /**
   * Has a listener hear of every leak of a buffer that Netty's detector reports: as {@link
   * ByteBufUtil#setLeakListener}, which at level {@code SIMPLE} hears of none of them.
   *
   * @param listener null: nobody hears of them
   */
  public static void setLeakListener(ResourceLeakDetector.@Nullable LeakListener listener) {
    ByteBufUtil.setLeakListener(listener);
    setSampleListener(listener);
  }

  /** The pool behind the direct buffers; its limits, figures and snapshot are this allocator's. */
  public Pool pool() {
    return pool;
  }

  /**
   * A view of this allocator whose buffers are charged to {@code budget}, in their growth too. It
   * prefers direct or heap buffers as this one does. Their {@code alloc()} is the view. It takes
   * some 200 bytes of Java heap, and needs no end.
   *
   * @param budget a budget of this allocator's pool
   * @throws IllegalArgumentException if it is another pool's
   */
  public ByteBufAllocator charging(Budget budget) {
    return new ChargingAllocator(pool, this, budget, preferDirect);
  }

  /**
   * Makes a buffer of a block of this allocator's pool. The buffer takes the block over: its last
   * release releases the block, and growth may exchange it for a larger one, charged to the same
   * budget. The {@code Block} object is released from then on. If there is no Java heap for a
   * buffer, the block is lost.
   *
   * @param block a live block that the caller owns
   * @param capacity the initial capacity, at most {@code maxCapacity} and the block's size
   * @throws IllegalArgumentException if the capacity is out of range or the block is another pool's
   * @throws IllegalStateException if the block has been released
   */
  public ByteBuf wrap(Block block, int capacity, int maxCapacity) {
    if (capacity < 0 || capacity > maxCapacity || capacity > block.size()) {
      throw new IllegalArgumentException(
          "capacity: "
              + capacity
              + " (expected: 0 to maxCapacity "
              + maxCapacity
              + " and block size "
              + block.size()
              + ')');
    }
    boolean watches = isWatchedByNetty(ResourceLeakDetector.getLevel());
    ByteBuf buffer = over(block, capacity, maxCapacity);
    return watches ? watched(buffer) : buffer;
  }

  /**
   * Lengthens a buffer of this allocator with pages of a grant: one that {@link #wrap} has made of
   * a block from {@link Grant#allocateGrowing}, and not a view of it. Contents and indices stay;
   * the memory may lie elsewhere afterwards.
   *
   * @return whether that has been done; if not, nothing has changed, as {@link Grant#tryGrow} says
   * @throws IllegalArgumentException if the buffer's {@code maxCapacity} is less, or it is charged
   *     to another budget than the grant
   */
  public boolean tryGrow(ByteBuf buffer, int newCapacity, Grant grant) {
    ByteBuf memory = buffer;
    // Netty's leak-aware wrappers are in front of it, perhaps.
    for (ByteBuf inner = memory.unwrap(); inner != null; inner = memory.unwrap()) {
      memory = inner;
    }
    return memory instanceof WeirByteBuf own && own.tryGrow(newCapacity, grant);
  }

  /** The bytes of live blocks and of live heap buffers' slots, over all users of the pool. */
  @Override
  public ByteBufAllocatorMetric metric() {
    return metric;
  }

  /** Gives back what is free: pages to the operating system, empty arrays to the collector. */
  public void trim() {
    lookForThreads();
    pool.trim();
  }

  /**
   * Closes the pool if this allocator made it; live buffers stay valid until they are released. The
   * calling thread's heap hands its memory over now, those of other threads when these come by or
   * end.
   */
  @Override
  public void close() {
    closeCurrentHeap();
    if (ownsPool) {
      pool.close();
    }
  }

  private record Metric(Pool pool) implements ByteBufAllocatorMetric {
    @Override
    public long usedHeapMemory() {
      return pool.rootBudget().heapBytes();
    }

    @Override
    public long usedDirectMemory() {
      return pool.liveBlockBytes();
    }
  }
}
