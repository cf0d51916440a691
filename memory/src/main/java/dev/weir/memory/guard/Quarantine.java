package dev.weir.memory.guard;

import dev.weir.memory.sync.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * Released hardened blocks: their pages are not used again until they leave. A bounded number of
 * bytes; what leaves is looked at once more.
 *
 * <p>Thread-safe. Pages are given back under its lock, so that nobody who needs room finds the
 * quarantine empty and the pages not free yet; the page heap's lock comes after it. Nothing is
 * allocated here, and nothing waits or looks through memory under the lock: a block is taken out to
 * be closed or looked at, and system calls are made once the lock is given back.
 */
/*
 *   release ──> open ──closed──> resting ──> its pages are free
 *                 └──────────────────────────────^   a block that is larger than the quarantine
 */
final class Quarantine {
  /** The most blocks that rest: each has a few kilobytes of Java heap, its stacks among them. */
  static final int MAX_GUARDS = 8_192;

  /** How many bytes leave before pages are purged for them. */
  private static final long STEP_BYTES = 256 << 10;

  /** Beyond so many times the limit, whoever releases a block closes others: nobody keeps up. */
  private static final int OVERFULL = 2;

  private final long limitBytes;
  private final int maxGuards;
  private final Runnable closerCall;
  private final SpinLock lock = new SpinLock();
  private final GuardQueue open = new GuardQueue();
  private final GuardQueue resting = new GuardQueue();

  /** What threads have taken out, to close it or to look at it before it leaves. */
  private long takenBytes;

  private int taken;
  private boolean closed;

  /** What came of a try to close a block. */
  private enum Closing {
    CLOSED,
    /** A system call uses it: later, then. */
    IN_USE,
    /** Other threads are at it. */
    ELSEWHERE,
    NOTHING_OPEN
  }

  /**
   * Creates a quarantine.
   *
   * @param closerCall calls a thread that will call {@link #closeOpen}; must return at once
   */
  Quarantine(long limitBytes, Runnable closerCall) {
    this(limitBytes, MAX_GUARDS, closerCall);
  }

  Quarantine(long limitBytes, int maxGuards, Runnable closerCall) {
    this.limitBytes = limitBytes;
    this.maxGuards = maxGuards;
    this.closerCall = closerCall;
  }

  /** The pages that rest, in bytes. */
  long bytes() {
    lock.lock();
    try {
      return open.bytes() + resting.bytes() + takenBytes;
    } finally {
      lock.unlock();
    }
  }

  /** How many blocks rest. */
  int size() {
    lock.lock();
    try {
      return open.size() + resting.size() + taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a released block, closed or not; others leave for it, as far as the stack has room for
   * that.
   */
  void add(Guard guard) {
    boolean isClosed = guard.isClosed();
    long excessBytes;
    int excessGuards;
    boolean retiring;
    long toPurge = 0;
    lock.lock();
    try {
      if (isClosed) {
        toPurge = rest(guard);
      } else {
        open.add(guard);
      }
      excessBytes = open.bytes() + resting.bytes() + takenBytes - limitBytes;
      excessGuards = open.size() + resting.size() + taken - maxGuards;
      retiring = closed;
    } finally {
      lock.unlock();
    }
    if (!isClosed && !retiring) {
      closerCall.run();
    }
    guard.purgeFor(toPurge);
    if (retiring) {
      giveUp(Long.MAX_VALUE);
    } else {
      leaveFor(excessBytes, excessGuards);
    }
  }

  /** So much is too much. */
  private void leaveFor(long excessBytes, int excessGuards) {
    // One of those too many leaves for each that comes, and a few bytes are one.
    long wantedBytes = excessGuards > 0 ? Math.max(1, excessBytes) : excessBytes;
    if (excessBytes > (OVERFULL - 1) * limitBytes || excessGuards > (OVERFULL - 1) * maxGuards) {
      giveUp(wantedBytes);
    } else if (wantedBytes > 0) {
      leave(wantedBytes);
    }
  }

  /**
   * Under the lock. A block that is larger than the quarantine would drive all others out.
   *
   * @return how many bytes {@link Guard#purgeFor} is due for, once the lock is given back
   */
  private long rest(Guard guard) {
    boolean rests = true;
    try {
      long toPurge = 0;
      if (guard.runBytes() > limitBytes) {
        toPurge = guard.free();
        rests = false;
      }
      return toPurge;
    } finally {
      // Also where its pages could not be given back: then it is tried again.
      if (rests) {
        resting.add(guard);
      }
    }
  }

  /**
   * Gives pages back, those that have rested longest first. A block that a system call uses stays.
   *
   * @param wantedBytes how many bytes at least, if so many rest
   * @return whether any were given back
   */
  boolean giveUp(long wantedBytes) {
    long before = bytes();
    long toGive = Math.min(before, wantedBytes);
    long givenBytes = 0;
    int inUse = 0;
    while (givenBytes < toGive) {
      long leftBytes = leave(toGive - givenBytes);
      givenBytes += leftBytes;
      if (leftBytes == 0) {
        Closing outcome = closeNext();
        if (outcome == Closing.NOTHING_OPEN
            || (outcome == Closing.IN_USE && ++inUse >= openSize())) {
          break;
        }
        if (outcome == Closing.ELSEWHERE) {
          SpinLock.giveWay();
        }
      }
    }
    return givenBytes > 0 || bytes() < before;
  }

  /** Lets closed blocks leave; says how many bytes. */
  private long leave(long wantedBytes) {
    long leftBytes = 0;
    while (leftBytes < wantedBytes) {
      long stepBytes = 0;
      long toPurge = 0;
      Guard left = null;
      while (stepBytes < Math.min(STEP_BYTES, wantedBytes - leftBytes)) {
        Guard guard = takeOldest();
        if (guard == null) {
          break;
        }
        toPurge += lookAndFree(guard);
        left = guard;
        stepBytes += guard.runBytes();
      }
      if (left == null) {
        break;
      }
      left.purgeFor(toPurge);
      leftBytes += stepBytes;
    }
    return leftBytes;
  }

  private @Nullable Guard takeOldest() {
    lock.lock();
    try {
      Guard guard = resting.poll();
      if (guard != null) {
        taken++;
        takenBytes += guard.runBytes();
      }
      return guard;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Looks at a block that was taken out, up to 1 MiB of it, and gives its pages back; it rests
   * again where that fails.
   */
  private long lookAndFree(Guard guard) {
    boolean isDamaged = false;
    boolean isFree = false;
    long toPurge = 0;
    try {
      isDamaged = guard.isDamaged();
    } finally {
      lock.lock();
      try {
        taken--;
        takenBytes -= guard.runBytes();
        toPurge = guard.free();
        isFree = true;
      } finally {
        if (!isFree) {
          resting.add(guard);
        }
        lock.unlock();
      }
    }
    if (isDamaged) {
      guard.reportDamage();
    }
    return toPurge;
  }

  /** Closes what was not closed when it was released. */
  void closeOpen() {
    for (int i = openSize(); i > 0; i--) {
      closeNext();
    }
  }

  private int openSize() {
    lock.lock();
    try {
      return open.size();
    } finally {
      lock.unlock();
    }
  }

  private Closing closeNext() {
    Guard guard;
    lock.lock();
    try {
      guard = open.poll();
      if (guard == null) {
        // What others have closed since the caller looked rests now.
        return taken > 0 || resting.size() > 0 ? Closing.ELSEWHERE : Closing.NOTHING_OPEN;
      }
      taken++;
      takenBytes += guard.runBytes();
    } finally {
      lock.unlock();
    }
    boolean isClosed = false;
    long toPurge = 0;
    try {
      isClosed = guard.tryClose();
    } finally {
      lock.lock();
      try {
        taken--;
        takenBytes -= guard.runBytes();
        if (isClosed) {
          toPurge = rest(guard);
        } else {
          open.add(guard);
        }
      } finally {
        lock.unlock();
      }
    }
    guard.purgeFor(toPurge);
    return isClosed ? Closing.CLOSED : Closing.IN_USE;
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

  /** The block whose pages have this address and rest; null if there is none. */
  @Nullable Guard at(long address) {
    lock.lock();
    try {
      Guard guard = resting.at(address);
      return guard == null ? open.at(address) : guard;
    } finally {
      lock.unlock();
    }
  }
}
