package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.callback.FirstFailures;
import dev.weir.memory.guard.HardenedFigures;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.heap.GrowthAid;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.RunHeap;
import dev.weir.memory.heap.SharedHeap;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.heap.SlabTotals;
import dev.weir.memory.jfr.FlightRecords;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageHeapEvents;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.sampling.Sampler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What a pool has from its first allocation on: the reservation and everything built on it. Blocks
 * refer to it through their page heap; when nothing does any more, the reservation is given back.
 */
final class PoolCore implements PageHeapEvents {
  /**
   * So many stripes for each processor: virtual threads change carriers, so it is chance whether
   * two of those at work meet at a stripe, and a meeting costs ten times an allocation.
   */
  private static final int STRIPES_PER_PROCESSOR = 8;

  private final PageHeap pages;
  private final SharedHeap shared;
  private final RunHeap runs;
  private final GrantQueue grants;
  private final PressureChores pressure;
  private final PoolRecord record;
  private final Reclaimers reclaimers;
  private final @Nullable Sampler sampler;
  private final @Nullable Hardener hardener;
  private final GrowthAid growthAid =
      (block, minBytes, budget) -> SlowAllocation.tryGrow(this, block, minBytes, budget);
  private final OwnedHeaps ownedHeaps = new OwnedHeaps();
  private final InsidePurgeQueue insidePurges;
  private final FirstFailures failures;
  private final PoolChores chores;
  private volatile boolean closed;
  private volatile boolean released;

  private PoolCore(
      PoolOptions options,
      Budget root,
      Reclaimers reclaimers,
      @Nullable Sampler sampler,
      @Nullable Hardener hardener,
      Reservation reservation) {
    this.sampler = sampler;
    this.hardener = hardener;
    long pageBytes = reservation.plan().pageBytes();
    this.pages =
        new PageHeap(
            FlightRecords.purgesOf(options.nativeMemory()),
            reservation,
            wholePages(options.limitBytes(), pageBytes),
            Pool.reserveBytes(options.limitBytes()),
            SizeClasses.COUNT,
            options.purgePolicy(),
            /* events= */ this);
    this.failures = new FirstFailures("looking after pool '%s'".formatted(options.name()));
    this.insidePurges = new InsidePurgeQueue(pages.insidePurges(), failures);
    this.runs = new RunHeap(pages);
    this.shared =
        new SharedHeap(
            pages,
            Runtime.getRuntime().availableProcessors() * STRIPES_PER_PROCESSOR,
            insidePurges::add);
    this.grants = new GrantQueue(pages, root, this::newGrant, Purger::wake);
    this.pressure = new PressureChores(root);
    this.record = new PoolRecord(root, pages, hardener);
    this.reclaimers = reclaimers;
    this.chores = new PoolChores(this, pressure, record, options.decay().toNanos() / 2);
  }

  static PoolCore create(
      PoolOptions options,
      Budget root,
      Reclaimers reclaimers,
      @Nullable Sampler sampler,
      @Nullable Hardener hardener) {
    Reservation reservation = Reservation.reserve(options.nativeMemory(), options.limitBytes());
    boolean done = false;
    try {
      PoolCore core = new PoolCore(options, root, reclaimers, sampler, hardener, reservation);
      Purger.lookAfter(core.chores);
      done = true;
      return core;
    } finally {
      if (!done) {
        reservation.release(); // No room in the Java heap, or no thread for the purger.
      }
    }
  }

  GrantQueue grants() {
    return grants;
  }

  PageHeap pages() {
    return pages;
  }

  void setLimit(long limitBytes) {
    pages.setLimit(wholePages(limitBytes, pages.pageBytes()), Pool.reserveBytes(limitBytes));
    pressureMoved();
  }

  private static long wholePages(long bytes, long pageBytes) {
    return bytes / pageBytes * pageBytes;
  }

  SharedHeap shared() {
    return shared;
  }

  RunHeap runs() {
    return runs;
  }

  GrowthAid growthAid() {
    return growthAid;
  }

  Reclaimers reclaimers() {
    return reclaimers;
  }

  CompletableFuture<Grant> grant(long bytes, long deadlineNanos, Budget budget) {
    CompletableFuture<Grant> future = grants.request(toWholePages(bytes), deadlineNanos, budget);
    if (!future.isDone()) {
      Purger.wake();
    }
    usageMoved();
    return future;
  }

  @Nullable Grant tryGrant(long bytes, Budget budget) {
    long wholeBytes = toWholePages(bytes);
    Grant grant = grants.tryRequest(wholeBytes, budget);
    if (grant == null && grants.isShortOfPages(wholeBytes)) {
      chores.grantRefused();
    }
    usageMoved();
    return grant;
  }

  private long toWholePages(long bytes) {
    long pageBytes = pages.pageBytes();
    return bytes > Long.MAX_VALUE / 2 ? bytes : Math.ceilDiv(bytes, pageBytes) * pageBytes;
  }

  private Grant newGrant(WaitingGrant request) {
    return new Grant(
        pages, runs, growthAid, request.budget, sampler, hardener, request.bytes, request.lane);
  }

  OwnedHeap ownedHeap(Executor owner) {
    OwnedHeap heap =
        new OwnedHeap(
            pages,
            owner,
            shared,
            insidePurges::add,
            sampler == null ? null : sampler.newCountdown(),
            hardener == null ? null : hardener.newCountdown());
    ownedHeaps.add(heap);
    return heap;
  }

  int ownedHeapCount() {
    return ownedHeaps.size();
  }

  /**
   * HeapTrimmer, and waits for the system calls of the purges that have begun by then: no request
   * is refused for pages that are on their way out. Those under way before are waited for first,
   * since a slab is not looked through, nor retired, while pages of it are purged.
   */
  void trimAndAwaitPurges() {
    insidePurges.awaitRunning();
    trim();
    insidePurges.awaitRunning();
  }

  /** Gives back what lies free in heaps. */
  void trim() {
    giveUpQuarantine(Long.MAX_VALUE);
    ownedHeaps.inherit();
    ownedHeaps.forEach(OwnedHeap::trim);
    shared.trim(); // Last: one that closes meanwhile hands over to it what has not been looked at.
  }

  long liveBlockBytes() {
    long bytes = pages.totals().runBytes() - notInBlocksBytes();
    for (SlabTotals slabs : SlabTotals.of(pages)) {
      bytes += slabs.liveBytes();
    }
    return bytes;
  }

  /** What runs hold beside hardened blocks, and where such have been: no block is there. */
  private long notInBlocksBytes() {
    HardenedFigures hardened = HardenedFigures.of(hardener);
    return hardened.quarantinedBytes() + hardened.besideBytes();
  }

  /**
   * Gives back what rests in the quarantine, so many bytes if there are.
   *
   * @return whether there were any
   */
  boolean giveUpQuarantine(long wantedBytes) {
    return hardener != null && hardener.giveUp(wantedBytes);
  }

  void close() {
    closed = true;
    try {
      refuseAll();
      ownedHeaps.forEach(OwnedHeap::requestClose);
      if (hardener != null) {
        hardener.close();
      }
      trim();
      pages.dirtyPurges().purgeAll();
      releaseIfDrained();
    } finally {
      // It does what has not been done here, again and again if need be.
      Purger.wake();
    }
  }

  /** What was entered while it was being closed is refused, too. */
  void refuseAll() {
    grants.close();
    pages.close();
  }

  @Override
  public void roomFreed() {
    if (grants.hasWaiting() || closed) {
      Purger.wake();
    }
    usageMoved();
  }

  /** The pressure of some budget may be another. */
  void pressureMoved() {
    pressure.moved();
  }

  /** Used bytes have changed. */
  void usageMoved() {
    if (pressure.hasListeners() && pages.hasLeftBand()) {
      pressure.moved();
    }
  }

  @Override
  public void dirtyHigh() {
    chores.dirtyHigh();
  }

  @Override
  public void bandLeft() {
    usageMoved();
  }

  @Override
  public void liveGrown() {
    chores.liveGrown();
  }

  boolean isClosed() {
    return closed;
  }

  /** Whether it is closed, and nothing of it is left. */
  boolean isReleased() {
    return released;
  }

  OwnedHeaps ownedHeaps() {
    return ownedHeaps;
  }

  InsidePurgeQueue insidePurges() {
    return insidePurges;
  }

  @Nullable Hardener hardener() {
    return hardener;
  }

  FirstFailures failures() {
    return failures;
  }

  /** Gives the addresses back if no block is left. */
  // Under a monitor: when it returns after somebody else has begun, the addresses are gone too.
  synchronized void releaseIfDrained() {
    if (!released && pages.tryRetire()) {
      released = true;
      record.end();
      pages.reservation().release();
    }
  }
}
