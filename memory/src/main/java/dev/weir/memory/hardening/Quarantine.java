package dev.weir.memory.hardening;

import dev.weir.memory.sync.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * Released hardened blocks, the oldest first: their pages are not used again until they leave. A
 * bounded number of bytes; what leaves is looked at once more.
 *
 * <p>Thread-safe. Its lock is held while pages are given back, so that nobody who needs room finds
 * the quarantine empty and the pages not free yet; the page heap's lock comes after it. Nothing is
 * allocated here.
 */
final class Quarantine {
  /** How many bytes leave while the lock is held once. */
  private static final long STEP_BYTES = 256 << 10;

  private final long limitBytes;
  private final SpinLock lock = new SpinLock();
  private @Nullable Guard oldest;
  private @Nullable Guard newest;
  private int size;
  private long bytes;

  /** How many of them could not be closed yet. */
  private int unclosed;

  private boolean closed;

  Quarantine(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** The pages that rest, in bytes. */
  long bytes() {
    lock.lock();
    try {
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /** How many blocks rest. */
  int size() {
    lock.lock();
    try {
      return size;
    } finally {
      lock.unlock();
    }
  }

  /** Takes a released block; others leave for it. */
  void add(Guard guard) {
    long excessBytes;
    lock.lock();
    try {
      if (guard.runBytes() > limitBytes && guard.isClosed()) {
        // It would drive all others out, and still be too large.
        guard.free();
        return;
      }
      append(guard);
      bytes += guard.runBytes();
      unclosed += guard.isClosed() ? 0 : 1;
      excessBytes = closed ? bytes : bytes - limitBytes;
    } finally {
      lock.unlock();
    }
    giveUp(excessBytes);
  }

  /**
   * Gives pages back, those that have rested longest first. A block that somebody still reads
   * through stays.
   *
   * @param wantedBytes how many bytes at least, if so many rest
   * @return whether any were given back
   */
  boolean giveUp(long wantedBytes) {
    long givenBytes = 0;
    while (givenBytes < wantedBytes) {
      long stepBytes = leave(Math.min(wantedBytes - givenBytes, STEP_BYTES));
      if (stepBytes == 0) {
        break;
      }
      givenBytes += stepBytes;
    }
    return givenBytes > 0;
  }

  private long leave(long wantedBytes) {
    long leftBytes = 0;
    Guard damaged = null;
    lock.lock();
    try {
      int visits = size;
      Guard guard = oldest;
      for (; guard != null && visits > 0 && leftBytes < wantedBytes; visits--) {
        boolean closedNow = tryClose(guard);
        boolean damagedNow = closedNow && guard.isDamaged();
        if (closedNow) {
          guard.free();
          bytes -= guard.runBytes();
          leftBytes += guard.runBytes();
        }
        removeOldest();
        if (!closedNow) {
          append(guard);
        } else if (damagedNow) {
          guard.next = damaged;
          damaged = guard;
        }
        guard = oldest;
      }
    } finally {
      lock.unlock();
    }
    while (damaged != null) {
      Guard guard = damaged;
      damaged = guard.next;
      guard.reportDamage();
    }
    return leftBytes;
  }

  /** Closes what could not be closed when it was released. */
  void retryClosing() {
    lock.lock();
    try {
      for (Guard guard = oldest; guard != null && unclosed > 0; guard = guard.next) {
        tryClose(guard);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Gives everything up, now and whatever comes later. */
  void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    giveUp(Long.MAX_VALUE);
  }

  /** The block at an address that rests, or its pages do; null if there is none. */
  @Nullable Guard at(long address) {
    lock.lock();
    try {
      for (Guard guard = oldest; guard != null; guard = guard.next) {
        if (guard.address() <= address && address < guard.address() + guard.runBytes()) {
          return guard;
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  private boolean tryClose(Guard guard) {
    if (guard.isClosed()) {
      return true;
    }
    boolean closedNow = guard.tryClose();
    unclosed -= closedNow ? 1 : 0;
    return closedNow;
  }

  private void append(Guard guard) {
    guard.next = null;
    if (newest == null) {
      oldest = guard;
    } else {
      newest.next = guard;
    }
    newest = guard;
    size++;
  }

  private void removeOldest() {
    Guard guard = java.util.Objects.requireNonNull(oldest);
    oldest = guard.next;
    if (oldest == null) {
      newest = null;
    }
    size--;
  }
}
