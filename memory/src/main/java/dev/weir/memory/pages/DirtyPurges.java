package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.sync.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * How dirty pages of a page heap go back to the operating system. Thread-safe: takes the page
 * heap's lock for each step, and makes the system calls without it. To be called without it.
 */
/*
 * A thread that needs clean pages to become resident where the limit leaves no room claims dirty pages: they leave
 * every index under the lock, are given back without it, and return as clean. While claims are under way their bytes
 * still count as dirty. A thread that finds nothing left to claim, although its request fits once everything dirty is
 * purged, yields until the others' claims are settled; so nobody is refused because of a purge in progress.
 */
final class DirtyPurges {
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

  /** {@link PageHeap#makeRoom}. */
  boolean makeRoom(long bytes, Lane lane) {
    while (true) {
      PurgeClaim claim;
      lock.lock();
      try {
        if (!ledger.admits(bytes, lane)) {
          return false;
        }
        long excess = ledger.excess(bytes);
        if (excess <= 0) {
          return true;
        }
        claim = state.claimDirty(excess);
      } finally {
        lock.unlock();
      }
      settleOrGiveWay(claim);
    }
  }

  /** {@link PageHeap#purgeAll}. */
  void purgeAll() {
    while (true) {
      PurgeClaim claim;
      lock.lock();
      try {
        claim = state.claimDirty(Long.MAX_VALUE);
        if (claim == null && !state.hasClaims()) {
          return;
        }
      } finally {
        lock.unlock();
      }
      // A room of which others purge a part has its rest for us only afterwards.
      settleOrGiveWay(claim);
    }
  }

  /** {@link PageHeap#purgeDownTo}. */
  void purgeDownTo(long keepBytes) {
    while (true) {
      PurgeClaim claim;
      lock.lock();
      try {
        long excess = state.unclaimedDirtyBytes() - keepBytes;
        claim = excess > 0 ? state.claimDirty(excess) : null;
      } finally {
        lock.unlock();
      }
      if (claim == null) {
        return;
      }
      settle(claim);
    }
  }

  /** {@link PageHeap#purgeExcess}. */
  void purgeExcess() {
    long keepBytes;
    lock.lock();
    try {
      keepBytes = state.dirtyToKeepBytes();
    } finally {
      lock.unlock();
    }
    purgeDownTo(keepBytes);
  }

  /** {@link PageHeap#purgeAged}. */
  void purgeAged() {
    while (true) {
      PurgeClaim claim;
      lock.lock();
      try {
        claim = state.claimAged();
        if (claim == null) {
          state.age();
          return;
        }
      } finally {
        lock.unlock();
      }
      settle(claim);
    }
  }

  /** Purges what was claimed; null, where others have claimed it all: lets them finish. */
  void settleOrGiveWay(@Nullable PurgeClaim claim) {
    if (claim == null) {
      SpinLock.giveWay();
    } else {
      settle(claim);
    }
  }

  /** Purges for the common good: if that fails, the caller's own request is served all the same. */
  void settleForOthers(PurgeClaim claim) {
    try {
      settle(claim);
    } catch (NativeMemoryException e) {
      // The pages are dirty again; the purger finds them, and reports what stands in its way.
    }
  }

  private void settle(PurgeClaim claim) {
    boolean purged = false;
    try {
      os.purge(claim.address(), claim.lengthBytes());
      purged = true;
    } finally {
      lock.lock();
      try {
        state.settle(claim, purged);
      } finally {
        lock.unlock();
      }
    }
  }
}
