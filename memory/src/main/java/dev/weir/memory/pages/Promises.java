package dev.weir.memory.pages;

import dev.weir.memory.sync.SpinLock;

/**
 * The pages of a page heap that are set aside for tasks before they start. Thread-safe; bytes,
 * whole pages.
 */
public final class Promises {
  private final SpinLock lock;
  private final ResidentLedger ledger;
  private final PageHeapEvents events;

  /** Those of a ledger, which {@code lock} guards. */
  Promises(SpinLock lock, ResidentLedger ledger, PageHeapEvents events) {
    this.lock = lock;
    this.ledger = ledger;
    this.events = events;
  }

  /** Sets pages aside for later runs, if the limit has room for them. */
  public boolean tryMake(long bytes, Lane lane) {
    lock.lock();
    try {
      if (!ledger.admits(bytes, lane)) {
        return false;
      }
      ledger.promise(bytes, lane);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether {@link #tryMake} would succeed now. */
  public boolean admits(long bytes, Lane lane) {
    lock.lock();
    try {
      return ledger.admits(bytes, lane);
    } finally {
      lock.unlock();
    }
  }

  /** Gives back what was promised and not used. */
  public void giveBack(long bytes, Lane lane) {
    lock.lock();
    try {
      ledger.returnPromise(bytes, lane);
    } finally {
      lock.unlock();
    }
    events.roomFreed();
  }

  /** The most that a single promise could ever be, with nothing else live. */
  public long largestBytes(Lane lane) {
    lock.lock();
    try {
      return ledger.largestAdmissible(lane);
    } finally {
      lock.unlock();
    }
  }
}
