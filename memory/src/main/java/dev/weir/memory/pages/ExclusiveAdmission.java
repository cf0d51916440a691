package dev.weir.memory.pages;

import dev.weir.memory.sync.SpinLock;

/**
 * Room that comes free for a request which nearly fits: while its thread has heaps give back what
 * lies free, nobody else gets more pages, but out of promises, and for new ones; nor what it has
 * purged for itself, where others find room beside it. One thread at a time. Thread-safe.
 */
public final class ExclusiveAdmission {
  /**
   * After how long without a {@link #renew} another thread gathers instead of one that the system
   * has interrupted, or that finds no carrier: as long as a trim waits for a heap.
   */
  private static final long PATIENCE_NANOS = 1_000_000_000;

  private final SpinLock lock;
  private final ResidentLedger ledger;

  /** Of a ledger, which {@code lock} guards. */
  ExclusiveAdmission(SpinLock lock, ResidentLedger ledger) {
    this.lock = lock;
    this.ledger = ledger;
  }

  /**
   * Waits until no other thread gathers, then begins to gather so many bytes. Under no lock; {@link
   * #end} must follow.
   */
  public void begin(long bytes) {
    while (!tryBegin(bytes)) {
      SpinLock.giveWay();
    }
  }

  private boolean tryBegin(long bytes) {
    lock.lock();
    try {
      return ledger.tryBeginGathering(bytes, System.nanoTime(), PATIENCE_NANOS);
    } finally {
      lock.unlock();
    }
  }

  /** Begins patience anew; false if another thread has gathered in place of this one. */
  public boolean renew() {
    lock.lock();
    try {
      return ledger.renewGathering(System.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /** What is gathered, or was not needed, is anybody's, unless another thread gathers by now. */
  public void end() {
    lock.lock();
    try {
      ledger.endGathering();
    } finally {
      lock.unlock();
    }
  }
}
