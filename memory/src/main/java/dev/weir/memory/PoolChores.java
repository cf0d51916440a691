package dev.weir.memory;

import dev.weir.memory.guard.Hardener;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SlabSurvey;
import dev.weir.memory.jfr.FlightRecords;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the purger does for a pool: gives back what has decayed, serves grants, tells of pressure,
 * and ends a pool that is closed.
 */
final class PoolChores implements Purger.Chores {
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

  private final PoolCore core;
  private final PressureChores pressure;
  private final PoolRecord record;
  private final ReclaimRounds reclaimRounds;
  private final SlabSurvey survey;
  private final long tickNanos;
  private final AtomicBoolean dirtyHigh = new AtomicBoolean();
  private final AtomicBoolean liveGrown = new AtomicBoolean();

  /** A grant at once was refused for want of pages; heaps have not been trimmed for it yet. */
  private final AtomicBoolean grantRefused = new AtomicBoolean();

  private long nextTickNanos = System.nanoTime();
  private long nextTrimNanos = System.nanoTime();
  private long nextPurgeNanos = System.nanoTime();

  /**
   * Of a pool whose other parts are there.
   *
   * @param tickNanos half a decay time
   */
  PoolChores(PoolCore core, PressureChores pressure, PoolRecord record, long tickNanos) {
    this.core = core;
    this.pressure = pressure;
    this.record = record;
    this.reclaimRounds = new ReclaimRounds(core.reclaimers());
    this.survey = new SlabSurvey(core.pages());
    this.tickNanos = tickNanos;
  }

  /** More is dirty than may stay so. Any thread. */
  void dirtyHigh() {
    callFor(dirtyHigh);
  }

  /** Live pages have grown enough to look where they hold nothing. Any thread. */
  void liveGrown() {
    callFor(liveGrown);
  }

  /** A grant at once was refused for want of pages. Any thread. */
  void grantRefused() {
    callFor(grantRefused);
  }

  private static void callFor(AtomicBoolean flag) {
    if (flag.compareAndSet(false, true)) {
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
      core.usageMoved();
      untilDeadline = Math.min(untilDeadline, pressure.tell(nowNanos));
    }
    long untilDrained = Long.MAX_VALUE;
    if (core.isClosed()) {
      core.refuseAll();
      if (core.liveBlockBytes() == 0) {
        // What was released since is perhaps with an owner that takes no tasks.
        core.trim();
      }
      core.pages().dirtyPurges().purgeAll();
      core.releaseIfDrained();
      untilDrained = DRAIN_NANOS;
    }
    long untilNext = Math.min(Math.min(untilDeadline, untilDrained), Long.MAX_VALUE / 2);
    long next = Math.min(nextTickNanos, nowNanos + untilNext);
    return dirtyHigh.get() ? Math.min(next, nextPurgeNanos) : next;
  }

  private void giveBack(boolean tick, long nowNanos) {
    Hardener hardener = core.hardener();
    if (hardener != null) {
      hardener.closeReleased();
      if (core.grants().hasWaiting() || core.isClosed()) {
        hardener.giveUp(Long.MAX_VALUE);
      }
    }
    if (tick || core.grants().hasWaiting() || core.isClosed()) {
      core.shared().retireIdle(/* takesOver= */ tick || core.isClosed());
      core.ownedHeaps().inherit();
      // One that was made while the pool was being closed has not been asked.
      core.ownedHeaps().forEach(core.isClosed() ? OwnedHeap::requestClose : OwnedHeap::retireIdle);
    }
    boolean isSurveyDue = liveGrown.getAndSet(false) || tick;
    if (isSurveyDue) {
      survey.unlinkExcess();
    }
    if (tick) {
      survey.unlinkAged();
    }
    if (isSurveyDue) {
      core.pages().surveyed();
    }
    core.insidePurges().run();
    if (nextPurgeNanos - nowNanos <= 0 && dirtyHigh.getAndSet(false)) {
      purgeExcess(nowNanos);
    }
    if (tick) {
      core.pages().dirtyPurges().purgeAged();
    }
  }

  /** What has failed is tried again in a while, and no sooner, however often somebody calls. */
  private void purgeExcess(long nowNanos) {
    try {
      core.pages().dirtyPurges().purgeExcess();
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
    long untilDeadline = core.grants().serve(nowNanos);
    if (areGrantsWanted() && nextTrimNanos - nowNanos <= 0) {
      nextTrimNanos = nowNanos + TRIM_FOR_GRANTS_NANOS;
      grantRefused.set(false);
      core.trim();
      untilDeadline = core.grants().serve(nowNanos);
    }
    if (core.grants().hasWaiting() && !core.reclaimers().inOrder().isEmpty()) {
      reclaimRounds.ask(nowNanos, core.grants().shortages(), core::trimAndAwaitPurges);
    }
    return areGrantsWanted() ? Math.min(untilDeadline, nextTrimNanos - nowNanos) : untilDeadline;
  }

  private boolean areGrantsWanted() {
    return core.grants().hasWaiting() || grantRefused.get();
  }

  @Override
  public void failed(Throwable failure) {
    core.failures().report(failure);
  }

  @Override
  public boolean isDone() {
    return core.isReleased() && !core.grants().hasUndelivered();
  }
}
