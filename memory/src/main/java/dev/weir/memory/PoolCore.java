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
import dev.weir.memory.heap.SlabSurvey;
import dev.weir.memory.heap.SlabTotals;
import dev.weir.memory.jfr.FlightRecords;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageHeapEvents;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.sampling.Sampler;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What a pool has from its first allocation on: the reservation and everything built on it. Blocks
 * refer to it through their page heap; when nothing does any more, the reservation is given back.
 */
final class PoolCore implements PageHeapEvents, Purger.Chores {
  /**
   * So many stripes for each processor: virtual threads change carriers, so it is chance whether
   * two of those at work meet at a stripe, and a meeting costs ten times an allocation.
   */
  private static final int STRIPES_PER_PROCESSOR = 8;

  /**
   * How often heaps are trimmed while grants wait or are refused: 100 ms. Each time pages are
   * purged that may soon be used again, so not with every block that is released.
   */
  private static final long TRIM_FOR_GRANTS_NANOS = 100_000_000;

  /**
   * How often somebody looks whether the last block of a closed pool has gone: 100 ms. A slab that
   * is in use does not tell that it has become empty, and the next tick may be half a day away.
   */
  private static final long DRAIN_NANOS = 100_000_000;

  /** How long a purge that has failed is left alone: 100 ms. */
  private static final long FAILED_PURGE_PAUSE_NANOS = 100_000_000;

  /** The most heaps that come and go before those whose owners have ended are looked for. */
  private static final int FEW_HEAPS = 64;

  private final PageHeap pages;
  private final SharedHeap shared;
  private final RunHeap runs;
  private final GrantQueue grants;
  private final PressureChores pressure;
  private final PoolRecord record;
  private final Reclaimers reclaimers;
  private final ReclaimRounds reclaimRounds;
  private final @Nullable Sampler sampler;
  private final @Nullable Hardener hardener;
  private final GrowthAid growthAid =
      (block, minBytes, budget) -> SlowAllocation.tryGrow(this, block, minBytes, budget);
  private final long tickNanos;
  private final Set<OwnedHeap> ownedHeaps = ConcurrentHashMap.newKeySet();
  private final InsidePurgeQueue insidePurges;
  private final FirstFailures failures;
  private final AtomicBoolean dirtyHigh = new AtomicBoolean();
  private final AtomicBoolean liveGrown = new AtomicBoolean();

  /** A grant at once was refused for want of pages; heaps have not been trimmed for it yet. */
  private final AtomicBoolean grantRefused = new AtomicBoolean();

  private final SlabSurvey survey;
  private long nextTickNanos = System.nanoTime();
  private long nextTrimNanos = System.nanoTime();
  private long nextPurgeNanos = System.nanoTime();

  /** How many heaps there may be before the next look; a lost write costs or saves one look. */
  private volatile int heapsAtNextLook = FEW_HEAPS;

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
    this.tickNanos = options.decay().toNanos() / 2;
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
    this.reclaimRounds = new ReclaimRounds(reclaimers);
    this.survey = new SlabSurvey(pages);
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
      Purger.lookAfter(core);
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
    if (grant == null
        && grants.isShortOfPages(wholeBytes)
        && grantRefused.compareAndSet(false, true)) {
      Purger.wake();
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
    if (ownedHeaps.size() > heapsAtNextLook) {
      inheritHeaps();
      heapsAtNextLook = Math.max(FEW_HEAPS, 2 * ownedHeaps.size());
    }
    return heap;
  }

  /** Takes over what the heaps of ended threads hold, and forgets those that are closed. */
  private void inheritHeaps() {
    ownedHeaps.removeIf(heap -> {
      if (!heap.owner().isAlive()) {
        heap.close();
      }
      // One that is being closed may have to be closed again.
      return heap.isHandedOver();
    });
  }

  int ownedHeapCount() {
    return ownedHeaps.size();
  }

  /**
   * HeapTrimmer, and waits for the system calls of the purges that have begun by then: no request
   * is refused for pages that are on their way out. Those under way before are waited for first,
   * since a slab is not looked through, nor retired, while pages of it are purged.
   */
  void trimAndSettle() {
    insidePurges.settle();
    trim();
    insidePurges.settle();
  }

  /** Gives back what lies free in heaps. */
  void trim() {
    giveUpQuarantine(Long.MAX_VALUE);
    inheritHeaps();
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

  private void refuseAll() {
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
    if (dirtyHigh.compareAndSet(false, true)) {
      Purger.wake();
    }
  }

  @Override
  public void bandLeft() {
    usageMoved();
  }

  @Override
  public void liveGrown() {
    if (liveGrown.compareAndSet(false, true)) {
      Purger.wake();
    }
  }

  @Override
  public long doChores(long nowNanos) {
    boolean tick = nextTickNanos - nowNanos <= 0;
    if (tick) {
      nextTickNanos = nowNanos + tickNanos;
      FlightRecords.lookAfter(record);
    }
    long untilDeadline;
    try {
      giveBack(tick, nowNanos);
    } finally {
      // Deadlines hold even where the system refuses to take pages back.
      untilDeadline = serveGrants(nowNanos);
      usageMoved();
      untilDeadline = Math.min(untilDeadline, pressure.tell(nowNanos));
    }
    long untilDrained = Long.MAX_VALUE;
    if (closed) {
      refuseAll();
      if (liveBlockBytes() == 0) {
        // What was released since is perhaps with an owner that takes no tasks.
        trim();
      }
      pages.dirtyPurges().purgeAll();
      releaseIfDrained();
      untilDrained = DRAIN_NANOS;
    }
    long untilNext = Math.min(Math.min(untilDeadline, untilDrained), Long.MAX_VALUE / 2);
    long next = Math.min(nextTickNanos, nowNanos + untilNext);
    return dirtyHigh.get() ? Math.min(next, nextPurgeNanos) : next;
  }

  private void giveBack(boolean tick, long nowNanos) {
    if (hardener != null) {
      hardener.closeReleased();
      if (grants.hasWaiting() || closed) {
        hardener.giveUp(Long.MAX_VALUE);
      }
    }
    if (tick || grants.hasWaiting() || closed) {
      shared.retireIdle(/* takesOver= */ tick || closed);
      inheritHeaps();
      // One that was made while the pool was closed has not been asked.
      ownedHeaps.forEach(closed ? OwnedHeap::requestClose : OwnedHeap::retireIdle);
    }
    boolean isSurveyDue = liveGrown.getAndSet(false) || tick;
    if (isSurveyDue) {
      survey.unlinkExcess();
    }
    if (tick) {
      survey.unlinkAged();
    }
    if (isSurveyDue) {
      pages.surveyed();
    }
    insidePurges.run();
    if (nextPurgeNanos - nowNanos <= 0 && dirtyHigh.getAndSet(false)) {
      purgeExcess(nowNanos);
    }
    if (tick) {
      pages.dirtyPurges().purgeAged();
    }
  }

  /** What has failed is tried again in a while, and no sooner, however often somebody calls. */
  private void purgeExcess(long nowNanos) {
    try {
      pages.dirtyPurges().purgeExcess();
    } catch (RuntimeException | Error e) {
      nextPurgeNanos = nowNanos + FAILED_PURGE_PAUSE_NANOS;
      dirtyHigh.set(true);
      failed(e);
    }
  }

  /**
   * Serves what fits; for the rest, and for those that were refused at once, asks now and then for
   * what is free inside slabs in use; for those that wait, those who hold what they can do without.
   */
  private long serveGrants(long nowNanos) {
    long untilDeadline = grants.serve(nowNanos);
    if (areGrantsWanted() && nextTrimNanos - nowNanos <= 0) {
      nextTrimNanos = nowNanos + TRIM_FOR_GRANTS_NANOS;
      grantRefused.set(false);
      trim();
      untilDeadline = grants.serve(nowNanos);
    }
    if (grants.hasWaiting() && !reclaimers.inOrder().isEmpty()) {
      reclaimRounds.ask(nowNanos, grants.shortages(), this::trimAndSettle);
    }
    return areGrantsWanted() ? Math.min(untilDeadline, nextTrimNanos - nowNanos) : untilDeadline;
  }

  private boolean areGrantsWanted() {
    return grants.hasWaiting() || grantRefused.get();
  }

  @Override
  public void failed(Throwable failure) {
    failures.report(failure);
  }

  @Override
  public boolean isDone() {
    return released && !grants.hasUntold();
  }

  /** Under a monitor: when it returns after somebody else has begun, the addresses are gone too. */
  private synchronized void releaseIfDrained() {
    if (!released && pages.tryRetire()) {
      released = true;
      record.end();
      pages.reservation().release();
    }
  }
}
