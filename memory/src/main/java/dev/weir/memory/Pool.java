package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.heap.SlabTotals;
import dev.weir.memory.pages.PageTotals;
import dev.weir.memory.pressure.Reclaimer;
import dev.weir.memory.pressure.Registration;
import dev.weir.memory.sampling.Sampler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the Java heap, within a limit of resident bytes.
 *
 * <p><strong>The bound.</strong> With a limit of B bytes, an allocation is refused only when the OS
 * pages touched by live blocks, what is promised in grants, and the request together exceed B − S,
 * where S is {@link #slackBytes()}. Fragmentation beyond that refuses nothing: a page without a
 * live byte goes back to the operating system, whatever its neighbours do.
 *
 * <p>The pool reserves its range of addresses at the first allocation and gives it back when it is
 * closed and the last block is released, or when nothing refers to the pool and its blocks any
 * more. A heap of a thread refers to it, and so does each event loop that has allocated from it
 * through Netty, for as long as it runs: a pool that event loops use goes when it is closed.
 * Thread-safe.
 */
public final class Pool extends PoolFigures implements AutoCloseable {
  /** The smallest block that can grow; a smaller one is a slot. */
  public static final long MIN_GROWING_BYTES = SizeClasses.MAX_SLOT_BYTES + 1;

  private static final long MAX_RESERVE_BYTES = 1L << 20;

  /** For ever, and far from an overflow in nanoseconds. */
  private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

  private final PoolOptions options;
  private final ArrayChores arrayChores;
  private final PoolLedger ledger;
  private final Budget root;
  private final Reclaimers reclaimers;
  private final @Nullable Sampler sampler;
  private final @Nullable Hardener hardener;
  private final PoolLife life;
  private final AllocatorSupport support;

  private Pool(PoolOptions options) {
    this.options = options;
    this.arrayChores =
        new ArrayChores(options.name(), () -> rootBudget().heapLimitBytes(), options.decay());
    this.ledger = new PoolLedger(options.limitBytes(), arrayChores.arrays());
    this.root = Budget.root(options.name(), ledger, options.heapLimitBytes());
    this.reclaimers = new Reclaimers(root);
    long bytesPerSample = options.bytesPerSample();
    this.sampler = bytesPerSample == 0 ? null : new Sampler(bytesPerSample);
    Hardening hardening = options.hardening();
    this.hardener =
        hardening == null
            ? null
            : new Hardener(hardening, options.name(), options.limitBytes(), Purger::wake);
    this.life =
        new PoolLife(
            options.name(),
            ledger,
            () -> PoolCore.create(options, root, reclaimers, sampler, hardener));
    this.support =
        new AllocatorSupport(root, ledger, arrayChores.arrays(), life, sampler, hardener);
  }

  /** Creates a pool. It takes no addresses and no memory before its first allocation. */
  public static Pool create(PoolOptions options) {
    return new Pool(options);
  }

  /**
   * The part of a limit that is kept for blocks of at most 4 KiB, so that a server can always
   * answer "no".
   */
  static long reserveBytes(long limitBytes) {
    return Math.min(MAX_RESERVE_BYTES, limitBytes / 64);
  }

  /**
   * Allocates a block of at least so many bytes, charged to the root budget. Any thread.
   *
   * @throws BudgetExceededError if the limit has no room
   * @throws IllegalArgumentException if the size is negative
   * @throws IllegalStateException if the pool is closed
   */
  public Block allocate(long bytes) {
    return allocate(bytes, root);
  }

  /** As {@link #allocate(long)}, charged to a budget of this pool. */
  public Block allocate(long bytes, Budget budget) {
    return support.allocateBlock(/* heap= */ null, bytes, budget);
  }

  /** As {@link #allocate(long)}, but returns null where that throws {@link BudgetExceededError}. */
  public @Nullable Block tryAllocate(long bytes) {
    return tryAllocate(bytes, root);
  }

  /** As {@link #tryAllocate(long)}, charged to a budget of this pool. */
  public @Nullable Block tryAllocate(long bytes, Budget budget) {
    return support.tryAllocateBlock(/* heap= */ null, bytes, budget);
  }

  /**
   * Allocates a block of at least so many bytes that can {@linkplain Block#tryGrow grow}, charged
   * to a budget of this pool. Any thread. Where no addresses are left for such blocks it is one
   * that cannot; and so is one that is hardened.
   *
   * @throws BudgetExceededError as {@link #allocate(long)}
   */
  public Block allocateGrowing(long bytes, Budget budget) {
    return support.allocateGrowingBlock(bytes, budget);
  }

  /**
   * Has somebody asked for memory that it can do without, before a request is refused, and while
   * grants wait. Where a budget has no room, only those who hold something of it are asked.
   *
   * @param holder what it holds is charged to this budget or below
   * @param priority those with smaller ones are asked first; among equals, who came first
   */
  public Registration addReclaimer(Budget holder, int priority, Reclaimer reclaimer) {
    support.requireOwn(holder);
    return reclaimers.add(holder, priority, reclaimer);
  }

  /**
   * As {@link #tryAllocate(long, Budget)}, for those who can do without, a cache under its own lock
   * say: takes what is free or dirty, but nothing from the quarantine, from heaps or from
   * reclaimers. A null is counted as no refusal.
   */
  public @Nullable Block tryAllocateAtOnce(long bytes, Budget budget) {
    return support.tryAllocateBlockAtOnce(bytes, budget);
  }

  /**
   * As {@link #tryAllocateAtOnce}, of a block that can grow. {@link Block#tryGrowAtOnce} lengthens
   * it in the same way.
   *
   * @param bytes at least {@link #MIN_GROWING_BYTES}
   */
  public @Nullable Block tryAllocateGrowingAtOnce(long bytes, Budget budget) {
    if (bytes < MIN_GROWING_BYTES) {
      throw new IllegalArgumentException(
          "a block of %,d bytes is a slot, and cannot grow: ask for at least %,d"
              .formatted(bytes, MIN_GROWING_BYTES));
    }
    return support.tryAllocateGrowingBlockAtOnce(bytes, budget);
  }

  /**
   * How many requests a limit has refused since the pool was created: allocations, growths that
   * threw, and grants at once. A growth that found another way is none, nor a grant that waits.
   */
  public long refusals() {
    return support.refusals();
  }

  /** As {@link #grant(long, Duration, Budget)}, charged to the root. */
  public CompletableFuture<Grant> grant(long bytes, Duration deadline) {
    return grant(bytes, deadline, root);
  }

  /**
   * Asks for pages before they are needed, and for room in a budget of this pool. Requests of at
   * most 64 KiB, and larger ones, are each served in the order of their arrival; a request that
   * waits for its budget alone holds up only those whom the same limit concerns; of these, small
   * ones overtake a large one until they have got a 16th of that limit, or one of them has to wait.
   * A 16th of the pool's limit is the small ones' own. The result comes on the caller's thread if
   * there is room at once, otherwise on the purger's thread: hop from there. All pools of the
   * process share that thread: while what hangs on the future blocks it, no pool serves grants,
   * keeps deadlines or gives back what has decayed, and waiting there for another grant is waiting
   * for oneself. Cancelling the returned future withdraws the request, and so does completing it
   * with null, for which no Java heap is needed.
   *
   * @param bytes rounded up to whole pages; charged to the budget from the promise on
   * @param deadline how long the caller will wait; then the future fails with {@code
   *     TimeoutException}
   * @return fails with {@link BudgetExceededError} if the request can never be met: at once, or
   *     when a limit is lowered that far or the budget is closed
   */
  public CompletableFuture<Grant> grant(long bytes, Duration deadline, Budget budget) {
    requireGrantable(bytes, budget);
    return core().grant(bytes, System.nanoTime() + waitNanos(deadline), budget);
  }

  /**
   * As {@link #grant(long, Duration, Budget)}, but grants at once or not at all. It overtakes
   * nobody whom such a request would have to wait behind, and where it does not grant nobody has to
   * wait for that: it is in no queue, and no reclaimer is asked for room. It takes back what heaps
   * hold of the budget and have not spent; where pages are short, the purger gives back, soon after
   * that, what is free inside slabs. A request that was withdrawn counts until the purger has seen
   * it.
   *
   * @return null where there is no room now
   * @throws IllegalStateException if the pool is closed
   */
  public @Nullable Grant tryGrant(long bytes, Budget budget) {
    requireGrantable(bytes, budget);
    Grant grant = core().tryGrant(bytes, budget);
    if (grant == null) {
      support.countRefusal(budget, bytes);
    }
    return grant;
  }

  private void requireGrantable(long bytes, Budget budget) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("size of a grant is not positive: " + bytes);
    }
    support.requireOwn(budget);
  }

  private static long waitNanos(Duration deadline) {
    return deadline.isNegative()
        ? 0
        : deadline.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT.toNanos() : deadline.toNanos();
  }

  /** The root of the tree of budgets. Blocks charged to it cost no accounting of their own. */
  @Override
  public Budget rootBudget() {
    return root;
  }

  /** The settings it was created with. */
  public PoolOptions options() {
    return options;
  }

  /** The most that may be resident, in bytes. */
  @Override
  public long limitBytes() {
    return ledger.limitBytes();
  }

  /**
   * Changes the limit. Where more is resident, free pages go back now; a limit below what is live
   * takes effect as memory is freed: until then nothing but open grants gets more pages, though
   * slots that lie free in live ones are still given out.
   *
   * @param bytes from {@link PoolOptions#MIN_LIMIT_BYTES} to the limit that the pool was created
   *     with, for which its addresses are reserved
   * @throws IllegalArgumentException if it is out of range; the limit stays what it was
   */
  public void setLimitBytes(long bytes) {
    if (bytes < PoolOptions.MIN_LIMIT_BYTES || bytes > options.limitBytes()) {
      throw new IllegalArgumentException(
          "limit of %,d bytes for pool '%s' is not between the smallest, %,d, and the one that it was created with, %,d"
              .formatted(bytes, options.name(), PoolOptions.MIN_LIMIT_BYTES, options.limitBytes()));
    }
    life.setLimit(bytes);
    PoolCore parts = life.coreOrNull();
    if (parts != null) {
      parts.pages().dirtyPurges().purgeExcess();
    }
  }

  /**
   * S of the bound: the reserve for small blocks. What heaps keep free is taken before anything is
   * refused, also from event loops that are blocked.
   */
  public long slackBytes() {
    return reserveBytes(limitBytes());
  }

  /** Gives back everything that is free, now, in the heaps of other threads too. */
  public void trim() {
    arrayChores.arrays().trim();
    PoolCore parts = life.coreOrNull();
    if (parts != null) {
      parts.trimAndAwaitPurges();
      parts.pages().dirtyPurges().purgeAll();
    }
  }

  /** What allocators over it use. */
  AllocatorSupport support() {
    return support;
  }

  @Override
  @Nullable Hardener hardener() {
    return hardener;
  }

  @Override
  @Nullable Sampler sampler() {
    return sampler;
  }

  /**
   * Evaluates the invariants of pages, slabs and budgets. Only when no thread allocates or releases
   * meanwhile.
   *
   * @throws AssertionError where one does not hold
   */
  public void checkInvariants() {
    PoolCore parts = life.coreOrNull();
    if (parts != null) {
      parts.pages().checkInvariants();
      SlabTotals.checkInvariants(parts.pages());
      PageTotals totals = parts.pages().totals();
      // A limit that was lowered leaves live pages alone.
      if (totals.residentBytes() > Math.max(totals.limitBytes(), totals.liveBytes())) {
        throw new AssertionError(
            "resident " + totals.residentBytes() + " of " + totals.limitBytes());
      }
    }
    arrayChores.arrays().checkInvariants();
    root.checkInvariants();
  }

  /**
   * Ends the pool: free memory goes back at once, and nothing more can be allocated, but out of
   * open grants, and what heaps of other threads have at hand until these threads hear of it. Live
   * blocks stay valid, and are logged as a warning, with the budgets that they are charged to; the
   * addresses go back with the last of them.
   */
  @Override
  public void close() {
    boolean first = life.end();
    arrayChores.close();
    PoolCore parts = life.coreOrNull();
    if (parts != null) {
      try {
        if (first) {
          LeftBlocks.report(this);
        }
      } finally {
        parts.close();
      }
    }
  }

  /** Whether {@link #close} has been called. */
  public boolean isClosed() {
    return life.isClosed();
  }

  @Override
  PoolLife life() {
    return life;
  }

  private PoolCore core() {
    return life.core();
  }
}
