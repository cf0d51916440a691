package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.sync.SpinLock;
import dev.weir.memory.sync.StackRoom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How dirty pages of a page heap go back to the operating system. Thread-safe: takes the page
 * heap's lock for each step, and makes the system calls without it. To be called without it.
 */
/*
 * A thread that needs clean pages to become resident where the limit leaves no room claims dirty pages: nobody else
 * finds them from then on, they are given back without the lock, and return as clean. While claims are under way their
 * bytes still count as dirty. A thread that finds nothing left to claim, although its request fits once everything
 * dirty is purged, yields until the others' claims are settled; so nobody is refused because of a purge in progress.
 *
 * Whoever claims looks first whether the stack has room for settling too: others would wait for ever. The look is no
 * part of what settles, which would overflow where it is compiled into that, nor is it taken under the lock.
 */
public final class DirtyPurges {
  private final NativeMemory os;
  private final SpinLock lock;
  private final PageState state;
  private final ResidentLedger ledger;

  /** Of the pages in {@code state}, which {@code lock} guards, as it does the ledger. */
  DirtyPurges(NativeMemory os, SpinLock lock, PageState state, ResidentLedger ledger) {
    this.os = os;
    this.lock = lock;
    this.state = state;
    this.ledger = ledger;
  }

  /**
   * Purges dirty pages until so many bytes could become resident. Not under a stripe's lock.
   *
   * @return whether the limit admits them at all; others may take the room before the caller does,
   *     unless that gathers ({@link ExclusiveAdmission})
   */
  public boolean makeRoom(long bytes, Lane lane) {
    StackRoom.requireForAwaited();
    while (true) {
      PurgeBatch batch;
      lock.lock();
      try {
        if (!ledger.admits(bytes, lane)) {
          return false;
        }
        long excess = ledger.excess(bytes);
        if (excess <= 0) {
          ledger.cleaned(bytes);
          return true;
        }
        batch = state.claims().claimDirty(excess);
      } finally {
        lock.unlock();
      }
      settleOrGiveWay(batch);
    }
  }

  /**
   * Gives back every dirty page where retired spans hold the last addresses for spans of a size:
   * one that the limit has no room for as a whole serves nobody ({@link PageHeap#open}). Not under
   * a stripe's lock.
   *
   * @return whether there may be addresses now that there were not
   */
  public boolean makeAddresses(SpanSize size) {
    lock.lock();
    try {
      if (!state.hasAddressesInPurges(size)) {
        return false;
      }
    } finally {
      lock.unlock();
    }
    purgeAll();
    return true;
  }

  /** Gives back every dirty page; those that others are giving back are gone when it returns. */
  public void purgeAll() {
    StackRoom.requireForAwaited();
    while (true) {
      PurgeBatch batch;
      lock.lock();
      try {
        batch = state.claims().claimDirty(Long.MAX_VALUE);
        if (batch == null && !state.claims().hasAny()) {
          return;
        }
      } finally {
        lock.unlock();
      }
      // A room of which others purge a part has its rest for us only afterwards.
      settleOrGiveWay(batch);
    }
  }

  /**
   * Gives back dirty pages, the oldest spans and the highest pages first, until no more than so
   * many bytes are left, or the rest lies in growth ranges that are being moved, or of which others
   * purge a part: that is left until it has aged.
   */
  public void purgeDownTo(long keepBytes) {
    purgeBatches(() -> state.claims().claimDirty(state.claims().unclaimedDirtyBytes() - keepBytes));
  }

  /**
   * Gives back what {@link PageHeapEvents#dirtyHigh} told of, down to half of what may stay, so
   * that steady churn does not call often.
   */
  public void purgeExcess() {
    long keepBytes;
    lock.lock();
    try {
      keepBytes = state.dirtyLimits().toKeepBytes();
    } finally {
      lock.unlock();
    }
    purgeDownTo(keepBytes);
  }

  /**
   * Gives back the pages that were dirty at the last call already, and marks the others as seen:
   * called every half decay time, it purges each page between a half and a whole decay time after
   * its last use.
   */
  public void purgeAged() {
    purgeBatches(() -> {
      PurgeBatch aged = state.claims().claimAged();
      if (aged == null) {
        state.claims().age();
      }
      return aged;
    });
  }

  /**
   * Purges one batch after the other, until there is none. Each is settled under the hold of the
   * lock that claims the next: those who allocate meanwhile want it too.
   */
  private void purgeBatches(Supplier<@Nullable PurgeBatch> next) {
    StackRoom.requireForAwaited();
    PurgeBatch batch = settleAndClaim(null, next);
    while (batch != null) {
      PurgeBatch claimed = batch;
      boolean purged = false;
      try {
        claimed.purge(os);
        purged = true;
      } finally {
        batch = settleAndClaim(claimed, purged ? next : null);
      }
    }
  }

  private @Nullable PurgeBatch settleAndClaim(
      @Nullable PurgeBatch done, @Nullable Supplier<@Nullable PurgeBatch> next) {
    lock.lock();
    try {
      if (done != null) {
        done.settle(state);
      }
      return next == null ? null : next.get();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Purges dirty bytes for the common good, where more than may stay dirty still are. If the system
   * refuses, the caller's own request is served all the same.
   *
   * @return false if the purger is to come: for what the purge leaves beyond that, or because it
   *     has failed, which the purger reports
   */
  boolean purgeForOthers(long bytes) {
    try {
      PurgeBatch batch;
      lock.lock();
      try {
        batch =
            state.dirtyLimits().areOverflowing()
                ? state.claims().claimDirty(state.dirtyLimits().toPurgeFor(bytes))
                : null;
      } finally {
        lock.unlock();
      }
      // Where there is nothing to claim, the purger would not find more.
      return batch == null || settle(batch);
    } catch (NativeMemoryException e) {
      return false;
    }
  }

  /** Purges what was claimed; where others have claimed it all: lets them finish. */
  void settleOrGiveWay(@Nullable PurgeBatch batch) {
    if (batch == null) {
      SpinLock.giveWay();
    } else {
      settle(batch);
    }
  }

  /** Purges what was claimed; says whether no more than may stay dirty is. */
  private boolean settle(PurgeBatch batch) {
    boolean enough = false;
    try {
      batch.purge(os);
    } finally {
      lock.lock();
      try {
        batch.settle(state);
        enough = !state.dirtyLimits().areOverflowing();
      } finally {
        lock.unlock();
      }
    }
    return enough;
  }
}
