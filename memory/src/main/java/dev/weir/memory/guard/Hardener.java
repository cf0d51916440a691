package dev.weir.memory.guard;

import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.hardening.MisuseReport;
import dev.weir.memory.hardening.StaleAccess;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Runs;
import dev.weir.memory.sampling.ByteCountdown;
import dev.weir.memory.sampling.CountdownStripes;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Hardens blocks of one pool: draws the sample, guards what is drawn, and tells of mistakes.
 * Thread-safe.
 */
@SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
public final class Hardener implements StaleAccess.Finder {
  /** The least that lies behind a block and is looked at when it is released. */
  private static final int MIN_CANARY_BYTES = 16;

  /** Where hardened blocks lie at least: on multiples of 64 bytes. */
  public static final int ALIGNMENT_BYTES = 64;

  /** What lies in front of a block where one page has room for all; elsewhere that is a page. */
  private static final int SHORT_LEAD_BYTES = ALIGNMENT_BYTES;

  /** Whether it has been said how to find out whose a closed segment was. */
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  /** What each block counts in a countdown, with what that adds itself: 64. */
  private static final int COUNTED_BYTES = 48;

  private static final int WEIGHT_BYTES = 64;

  /**
   * The most blocks of a sample that are live at a time. Each takes a few kilobytes of Java heap.
   */
  private static final int MAX_LIVE_SAMPLES = 8_192;

  /** The quarantine, where its size is not set: a 32nd of the limit. */
  private static final int QUARANTINE_SHARE_SHIFT = 5;

  /** The quarantine at most: a quarter of the limit. What waits for memory must not wait for it. */
  private static final int MAX_QUARANTINE_SHARE_SHIFT = 2;

  /** What lies beside the blocks of a sample, at most: a 32nd of the limit. */
  private static final int SAMPLED_SHARE_SHIFT = 5;

  /** What lies beside all blocks, at most: half of the limit. */
  private static final int FULL_SHARE_SHIFT = 1;

  /** What each of three steps is thought to take, before one was measured: 20 µs. */
  private static final long EXPECTED_NANOS = 20_000;

  private static final int AVERAGE_SHIFT = 3;

  private final Hardening settings;
  private final long maxBesideBytes;
  private final Quarantine quarantine;
  private final Misuses misuses;
  private final CountdownStripes stripes;
  private final AtomicInteger liveBlocks = new AtomicInteger();
  private final AtomicLong besideBytes = new AtomicLong();

  // Moving averages that any thread writes: a lost update does not matter.
  private volatile long allocationNanos = EXPECTED_NANOS;
  private volatile long releaseNanos = EXPECTED_NANOS;
  private volatile long closingNanos = EXPECTED_NANOS;

  /**
   * A hardener for a pool that may make so many bytes resident.
   *
   * @param closerCall calls a thread that will call {@link #closeReleased}; must return at once
   */
  public Hardener(Hardening settings, String poolName, long poolLimitBytes, Runnable closerCall) {
    this.settings = settings;
    this.maxBesideBytes =
        poolLimitBytes >>> (settings.isFull() ? FULL_SHARE_SHIFT : SAMPLED_SHARE_SHIFT);
    long quarantineBytes =
        settings.quarantineBytes() > 0
            ? settings.quarantineBytes()
            : poolLimitBytes >>> QUARANTINE_SHARE_SHIFT;
    this.quarantine =
        new Quarantine(
            Math.min(quarantineBytes, poolLimitBytes >>> MAX_QUARANTINE_SHARE_SHIFT), closerCall);
    this.misuses = new Misuses(poolName);
    Guard.load();
    this.stripes = new CountdownStripes(this::newCountdown);
    StaleAccess.lookWith(this);
    tellOnce(poolName);
  }

  /** The JDK's exception says nothing of Weir: who meets it must know where to ask. */
  private static void tellOnce(String poolName) {
    if (TOLD.compareAndSet(false, true)) {
      System.getLogger(Hardening.class.getPackageName())
          .log(
              System.Logger.Level.INFO,
              "pool '%s' hardens blocks: an IllegalStateException 'Already closed' out of a"
                      .formatted(poolName)
                  + " MemorySegment or ByteBuffer means use after release; %s.historyOf names the block"
                      .formatted(StaleAccess.class.getName()));
    }
  }

  /** A countdown to the next block of the sample, for one thread. */
  public ByteCountdown newCountdown() {
    return new ByteCountdown((long) settings.interval() * WEIGHT_BYTES, /* adapts= */ true);
  }

  /** Whether all blocks are hardened. */
  public boolean isFull() {
    return settings.isFull();
  }

  boolean poisons() {
    return settings.poisons();
  }

  Quarantine quarantine() {
    return quarantine;
  }

  /**
   * Draws: says whether the block that is about to be allocated is to be hardened.
   *
   * @param own the calling thread's countdown, or null
   */
  public boolean drawNext(@Nullable ByteCountdown own) {
    if (settings.isFull()) {
      return true;
    }
    ByteCountdown countdown = own == null ? stripes.ofThread() : own;
    return countdown.reach(COUNTED_BYTES) && isDrawn(countdown);
  }

  private boolean isDrawn(ByteCountdown countdown) {
    long nowNanos = System.nanoTime();
    countdown.restart(nowNanos, nowNanos + allocationNanos + releaseNanos + closingNanos);
    return liveBlocks.get() < MAX_LIVE_SAMPLES;
  }

  /**
   * Takes pages for a block and guards it. Where the limit leaves no room, the quarantine goes
   * first, unless the block is too large for the limit at any time.
   *
   * @return null if it cannot be had: what allocates goes on without a guard
   */
  public @Nullable Guard tryGuard(PageHeap pages, long bytes) {
    if (bytes < 0 || bytes > Long.MAX_VALUE / 2) {
      return null;
    }
    long pageBytes = pages.pageBytes();
    boolean isShort = SHORT_LEAD_BYTES + bytes + MIN_CANARY_BYTES <= pageBytes;
    long leadBytes = isShort ? SHORT_LEAD_BYTES : pageBytes;
    long runBytes = Math.ceilDiv(leadBytes + bytes + MIN_CANARY_BYTES, pageBytes) * pageBytes;
    if (besideBytes.get() + runBytes - bytes > maxBesideBytes) {
      return null;
    }
    long begunNanos = System.nanoTime();
    long address = pages.runs().allocate(runBytes);
    if (address == Runs.FULL
        && runBytes <= pages.largestRunBytes()
        && quarantine.giveUp(runBytes)) {
      address = pages.runs().allocate(runBytes);
    }
    if (address == Runs.FULL) {
      return null;
    }
    Guard guard = guard(pages, address, bytes, runBytes, leadBytes, Lane.LARGE);
    allocationNanos = average(allocationNanos, System.nanoTime() - begunNanos);
    return guard;
  }

  /**
   * Guards a run that is taken out of a promise, without a canary in front, and with one behind
   * only where its last page has room.
   *
   * @param runBytes whole pages, at least {@code bytes}
   * @param lane of the promise
   * @return null if it cannot be had; the promise is as it was
   */
  public @Nullable Guard tryGuardPromised(PageHeap pages, long bytes, long runBytes, Lane lane) {
    long address = pages.runs().allocatePromised(runBytes);
    return address == Runs.FULL
        ? null
        : guard(pages, address, bytes, runBytes, /* leadBytes= */ 0, lane);
  }

  private @Nullable Guard guard(
      PageHeap pages, long address, long bytes, long runBytes, long leadBytes, Lane lane) {
    Guard guard = null;
    try {
      BlockHistory history = BlockHistory.begun(misuses, bytes);
      guard = new Guard(this, pages, history, address, runBytes, leadBytes, lane);
    } finally {
      if (guard == null) {
        pages.runs().undo(address, runBytes, lane);
      }
    }
    liveBlocks.incrementAndGet();
    besideBytes.addAndGet(runBytes - bytes);
    return guard;
  }

  /** Takes back a guard that nobody has seen; its pages stay allocated. */
  public void forget(Guard guard) {
    guard.tryClose();
    ended(guard);
  }

  void ended(Guard guard) {
    liveBlocks.decrementAndGet();
    besideBytes.addAndGet(guard.bytes() - guard.runBytes());
  }

  void releaseTook(long nanos) {
    releaseNanos = average(releaseNanos, nanos);
  }

  /** Whoever does it: while it waits for threads that do not run, samples become rare. */
  void closingTook(long nanos) {
    closingNanos = average(closingNanos, nanos);
  }

  private static long average(long before, long nanos) {
    return before + ((nanos - before) >> AVERAGE_SHIFT);
  }

  // The quarantine, for the pool.

  /**
   * Gives back pages that rest in the quarantine.
   *
   * @return whether any were given back
   */
  public boolean giveUp(long wantedBytes) {
    return quarantine.giveUp(wantedBytes);
  }

  /** Closes released blocks that have not been closed yet. */
  public void closeReleased() {
    quarantine.closeOpen();
  }

  /** From now on nothing rests. */
  public void close() {
    quarantine.close();
  }

  // Seeing.

  HardenedFigures figures() {
    return new HardenedFigures(
        besideBytes.get(), quarantine.bytes(), quarantine.size(), misuses.total());
  }

  /**
   * What has happened to the released block that a segment saw, while it rests; null for any other.
   *
   * @param accessed a segment of the block, or one that was made of its bare address
   */
  @Override
  public @Nullable BlockHistory historyOf(MemorySegment accessed) {
    Guard guard = accessed.isNative() ? quarantine.at(accessed.address()) : null;
    // A closed segment of another block, which lay there before, must not be taken for this one's.
    return guard == null || !(accessed.scope().isAlive() || guard.isSeenBy(accessed))
        ? null
        : guard.history();
  }

  /** What has been found so far. */
  public MisuseReport report() {
    return misuses.report();
  }
}
