package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.MisuseReport;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.profile.LiveProfile;
import dev.weir.memory.sampling.Sampler;
import dev.weir.memory.view.MapWindow;
import dev.weir.memory.view.PoolView;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What can be read of a pool. Any thread; stops nobody, and changes nothing. */
abstract sealed class PoolFigures permits Pool {
  /** What there is since the first allocation. */
  abstract PoolLife life();

  /** The root of the tree of budgets, which has the pool's name. */
  public abstract Budget rootBudget();

  /** The most that may be resident, in bytes. */
  public abstract long limitBytes();

  /** Draws what is hardened; null if nothing is. */
  abstract @Nullable Hardener hardener();

  /** Takes the samples of {@link #profile}; null if there are none. */
  abstract @Nullable Sampler sampler();

  /**
   * The most that a grant charged to a budget of this pool could get, with nothing else live, in
   * whole pages: what the pool's limit leaves, and every limit from the budget up. Before the first
   * allocation, no more is known than the limits.
   */
  public final long largestGrantBytes(Budget budget) {
    PoolCore parts = life().coreOrNull();
    long bytes = parts == null ? limitBytes() : parts.pages().promises().largestBytes(Lane.PROMISE);
    Budget node = budget;
    for (Budget above = node.parent(); above != null; above = node.parent()) {
      bytes = Math.min(bytes, node.limitBytes());
      node = above;
    }
    return parts == null ? bytes : bytes - bytes % parts.pages().pageBytes();
  }

  /** How many grants wait for room now. */
  public final int waitingGrants() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? 0 : parts.grants().waiting();
  }

  /** How many grants have not been met before their deadline, since the pool was created. */
  public final long timedOutGrants() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? 0 : parts.grants().timedOut();
  }

  /**
   * Live and dirty pages, in bytes: what the limit limits. Live are all pages of live blocks, with
   * the whole of each block whether it was written or not, and those that slabs have for free
   * slots; dirty are free pages that were used and not given back yet. So the kernel's Rss of the
   * pool's addresses is at most that, and less where blocks are not filled. Heap buffers do not
   * count.
   */
  public final long residentBytes() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? 0 : parts.pages().totals().residentBytes();
  }

  /** Pages in use. */
  public final long liveBytes() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? 0 : parts.pages().totals().liveBytes();
  }

  /** Pages free but resident. */
  public final long dirtyBytes() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? 0 : parts.pages().totals().dirtyBytes();
  }

  /** Sizes of all live blocks. Exact when nobody allocates or releases meanwhile. */
  public final long liveBlockBytes() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? 0 : parts.liveBlockBytes();
  }

  /** The most that was ever resident. */
  public final long peakResidentBytes() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? 0 : parts.pages().totals().peakResidentBytes();
  }

  /** The first address of the reservation; 0 before the first allocation. */
  public final long reservationAddress() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? 0 : parts.pages().reservation().address();
  }

  /** The length of the reservation in bytes; 0 before the first allocation. */
  public final long reservationBytes() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? 0 : parts.pages().reservation().bytes();
  }

  /** What it holds at this moment, for people and for tests. Stops nobody. */
  public final PoolSnapshot snapshot() {
    PoolCore parts = life().coreOrNull();
    return parts == null
        ? PoolSnapshot.empty(rootBudget(), limitBytes())
        : PoolSnapshot.of(rootBudget(), parts.pages(), hardener(), parts.ownedHeapCount());
  }

  /**
   * What it holds at this moment, for those who watch it: waste by kind, heaps, budgets, and a map
   * of its pages. Any thread, also while the pool is closing. Stops nobody: 1,000,000 blocks in
   * slabs take it some milliseconds the first time, and less than one after that.
   *
   * @param window what the map is to show
   */
  public final PoolView view(MapWindow window) {
    PoolCore parts = life().coreOrNull();
    return PoolView.of(rootBudget(), parts == null ? null : parts.pages(), hardener(), window);
  }

  /**
   * Which code holds what, by sample; empty where {@link PoolOptions#withProfile} was not asked
   * for.
   */
  public final LiveProfile profile() {
    Sampler sampler = sampler();
    return sampler == null ? LiveProfile.EMPTY : sampler.profile();
  }

  /**
   * The part of {@link #profile} that has been live for longer than that: costs less than all of
   * it.
   */
  public final LiveProfile profileOlderThan(Duration age) {
    Sampler sampler = sampler();
    return sampler == null ? LiveProfile.EMPTY : sampler.profileOlderThan(age.toNanos());
  }

  /**
   * The mistakes in the use of hardened blocks that have been found; empty where {@link
   * PoolOptions#withHardening} was not asked for.
   */
  public final MisuseReport misuses() {
    Hardener hardener = hardener();
    return hardener == null ? MisuseReport.EMPTY : hardener.report();
  }

  /**
   * Who allocated and who released the hardened block that a segment saw: for an access through it,
   * or through an NIO buffer, that failed because it is closed. {@link
   * dev.weir.memory.hardening.StaleAccess} does the same for all pools.
   *
   * @param segment what was accessed, {@code MemorySegment.ofBuffer(buffer)} for a buffer
   * @return null if no such block rests in the quarantine
   */
  public final @Nullable BlockHistory historyOf(MemorySegment segment) {
    Hardener hardener = hardener();
    return hardener == null ? null : hardener.historyOf(segment);
  }

  /** The addresses and what they guarantee; null before the first allocation. */
  final @Nullable Reservation reservation() {
    PoolCore parts = life().coreOrNull();
    return parts == null ? null : parts.pages().reservation();
  }

  @Override
  public final String toString() {
    return "Pool[%s: resident %,d of %,d bytes]"
        .formatted(rootBudget().name(), residentBytes(), limitBytes());
  }
}
