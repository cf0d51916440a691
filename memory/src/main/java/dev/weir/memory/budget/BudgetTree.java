package dev.weir.memory.budget;

import dev.weir.memory.os.ProcessBarrier;
import dev.weir.memory.sync.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * What the budgets of a tree have in common: the lock, and the credit that heaps hold of them.
 *
 * <p>Credit is charged to the tree when it is granted, so no limit is overshot, and taken back
 * before a charge is refused, so none is refused early.
 */
/*
 * While a recall is under way no credit is granted: what one recall finds, the next charge has.
 */
final class BudgetTree {
  final SpinLock lock = SpinLock.innermost();
  final CreditTerms terms;
  final RootLedger ledger;
  final TreePressure pressure;

  /** How often a limit was set, or a budget closed, for which grants waited. Under the lock. */
  long limitChanges;

  /** How many grants wait for room in budgets below the root. */
  volatile int waitingGrants;

  /** Those who look at the children of some budget. Under the lock. */
  @Nullable ChildWalk firstWalk;

  private @Nullable Credit firstOpen;
  private int recalls;
  private int budgets;

  BudgetTree(CreditTerms terms, RootLedger ledger) {
    this.terms = terms;
    this.ledger = ledger;
    this.pressure = new TreePressure(this);
  }

  /** Says what the last operations on charges have brought about. Not under the lock. */
  void tell() {
    pressure.tellOfNews();
  }

  /** As {@link #tell}, after charges have gone down. */
  void tellOfRoom() {
    tell();
    // Who waits has raised it before it saw, under the lock, that there is no room.
    if (waitingGrants > 0) {
      ledger.roomFreed();
    }
  }

  /** Consecutive numbers, so that the budgets of a few features differ in their last bits. */
  int nextNumber() {
    lock.lock();
    try {
      return budgets++;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A limit was set, or a budget closed: of interest to those only that wait for it, of which there
   * may be very many. Under the lock.
   */
  void limitChanged(Budget budget) {
    if (budget.waitingGrants > 0) {
      limitChanges++;
    }
  }

  void beginWaiting(Budget budget, long bytes) {
    lock.lock();
    try {
      countWaiting(budget, 1);
      if (budget.refusingForEverHere(bytes) != null) {
        // Since it was found to have hope, and before it was counted.
        limitChanges++;
      }
    } finally {
      lock.unlock();
    }
  }

  void endWaiting(Budget budget) {
    lock.lock();
    try {
      countWaiting(budget, -1);
    } finally {
      lock.unlock();
    }
  }

  private void countWaiting(Budget budget, int change) {
    for (Budget node = budget; node != null; node = node.parent) {
      node.waitingGrants += change;
      if (node.parent == null) {
        waitingGrants = node.waitingGrants;
      }
    }
  }

  boolean tryCharge(Budget budget, long bytes) {
    lock.lock();
    try {
      if (budget.isCut()) {
        return false;
      }
      if (budget.firstFull(bytes) == null) {
        budget.charge(bytes);
        return true;
      }
      if (budget.firstSurelyFull(bytes) != null) {
        return false;
      }
    } finally {
      lock.unlock();
      tell();
    }
    return tryChargeWithoutCredit(budget, bytes);
  }

  /** A charge for which the credit does not suffice. By the credit's owner. */
  boolean tryCharge(Credit credit, long bytes) {
    Budget budget = credit.budget;
    lock.lock();
    try {
      settle(credit);
      if (budget.isCut()) {
        return false;
      }
      if (budget.firstFull(bytes) == null) {
        budget.charge(bytes);
        grant(credit, terms.quantumBytes());
        return true;
      }
      if (budget.firstSurelyFull(bytes) != null) {
        return false;
      }
    } finally {
      lock.unlock();
      tell();
    }
    return tryChargeWithoutCredit(budget, bytes);
  }

  private boolean tryChargeWithoutCredit(Budget budget, long bytes) {
    lockWithoutCredit(budget.branch());
    try {
      if (budget.isCut() || budget.firstFull(bytes) != null) {
        return false;
      }
      budget.charge(bytes);
      return true;
    } finally {
      lock.unlock();
      tellOfRoom();
    }
  }

  /**
   * The first budget from here up that has no room for a charge, whatever heaps hold, or this one
   * if it is closed; null if all have.
   */
  @Nullable Budget fullFor(Budget budget, long bytes) {
    lock.lock();
    try {
      if (budget.isCut()) {
        return budget;
      }
      Budget full = budget.firstSurelyFull(bytes);
      if (full != null || budget.firstFull(bytes) == null) {
        return full;
      }
    } finally {
      lock.unlock();
    }
    lockWithoutCredit(budget.branch());
    try {
      return budget.isCut() ? budget : budget.firstFull(bytes);
    } finally {
      lock.unlock();
      tell();
    }
  }

  /** No credit is granted from here on. */
  void beginRecall() {
    lock.lock();
    recalls++;
    lock.unlock();
  }

  void endRecall() {
    lock.lock();
    recalls--;
    lock.unlock();
  }

  /** A release after which the credit is too large, or which found it shut. By its owner. */
  void settleRelease(Credit credit, long bytes) {
    lock.lock();
    try {
      settle(credit);
      grant(credit, Math.max(terms.quantumBytes(), Math.min(bytes, terms.maxBytes())));
    } finally {
      lock.unlock();
      tellOfRoom();
    }
  }

  /** The credit is not used any more. By its owner. */
  void end(Credit credit) {
    lock.lock();
    try {
      settle(credit);
    } finally {
      lock.unlock();
      tellOfRoom();
    }
  }

  /**
   * The most that heaps can hold of a budget and those below, whatever they spend and return
   * meanwhile: what each may keep, and once more as much, a block whose release it is at. Only one
   * whose stack has ended in a release holds more. Under the lock.
   */
  long mostUnspentBytes(Budget top) {
    long bytes = 0;
    if (top.openCredits > 0) {
      for (Credit credit = firstOpen; credit != null; credit = credit.nextOpen) {
        if (credit.budget.isWithin(top)) {
          bytes += Math.max(2 * terms.maxBytes(), credit.unspentBytes());
        }
      }
    }
    return bytes;
  }

  /**
   * What heaps hold of a budget and those below and have not spent, one read after the other. Under
   * the lock.
   */
  long unspentBytes(Budget top) {
    long bytes = 0;
    if (top.openCredits > 0) {
      for (Credit credit = firstOpen; credit != null; credit = credit.nextOpen) {
        if (credit.budget.isWithin(top)) {
          bytes += credit.unspentBytes();
        }
      }
    }
    return bytes;
  }

  /**
   * Takes the lock at a moment at which no heap holds unspent credit of a budget or of one below.
   * Whoever calls it has made sure that the stack has room for it ({@link StackRoom}): else no
   * credit might be granted ever again.
   */
  void lockWithoutCredit(Budget top) {
    lock.lock();
    try {
      recalls++;
      for (Credit credit = firstOpen; credit != null; credit = credit.nextOpen) {
        if (credit.budget.isWithin(top)) {
          credit.shut();
        }
      }
    } finally {
      lock.unlock();
    }
    boolean locked = false;
    boolean settled = false;
    try {
      ProcessBarrier.heavy();
      lock.lock();
      locked = true;
      while (isUndecided(top)) {
        lock.unlock();
        locked = false;
        SpinLock.giveWay();
        lock.lock();
        locked = true;
      }
      settleAll(top);
      settled = true;
    } finally {
      if (!locked) {
        lock.lock();
      }
      recalls--;
      if (!settled) {
        lock.unlock();
      }
    }
  }

  /** An owner is at it for a few instructions, if the system has not interrupted it there. */
  private boolean isUndecided(Budget top) {
    for (Credit credit = firstOpen; credit != null; credit = credit.nextOpen) {
      if (credit.budget.isWithin(top) && credit.isUndecided()) {
        return true;
      }
    }
    return false;
  }

  private void settleAll(Budget top) {
    Credit next;
    for (Credit credit = firstOpen; credit != null; credit = next) {
      next = credit.nextOpen;
      if (credit.budget.isWithin(top)) {
        settle(credit);
      }
    }
  }

  /**
   * Takes back what is not spent, and shuts the credit. By its owner, or when it has been shut
   * before a heavy barrier and is not undecided.
   */
  private void settle(Credit credit) {
    long spentBytes = credit.spentBytes();
    long unspentBytes = credit.grantedBytes - spentBytes;
    credit.grantedBytes = spentBytes;
    if (credit.isOpen) {
      credit.shut();
      unlink(credit);
      for (Budget node = credit.budget; node != null; node = node.parent) {
        node.openCredits--;
      }
    }
    if (unspentBytes != 0) {
      credit.budget.unchargeHere(unspentBytes);
    }
  }

  private void grant(Credit credit, long bytes) {
    Budget budget = credit.budget;
    if (recalls > 0 || budget.isCut() || budget.firstFull(bytes + terms.roomBytes()) != null) {
      return;
    }
    budget.charge(bytes);
    credit.grantedBytes += bytes;
    link(credit);
    for (Budget node = budget; node != null; node = node.parent) {
      node.openCredits++;
    }
    credit.open();
  }

  private void link(Credit credit) {
    Credit first = firstOpen;
    credit.nextOpen = first;
    if (first != null) {
      first.previousOpen = credit;
    }
    firstOpen = credit;
    credit.isOpen = true;
  }

  private void unlink(Credit credit) {
    Credit previous = credit.previousOpen;
    Credit next = credit.nextOpen;
    if (previous == null) {
      firstOpen = next;
    } else {
      previous.nextOpen = next;
    }
    if (next != null) {
      next.previousOpen = previous;
    }
    credit.previousOpen = null;
    credit.nextOpen = null;
    credit.isOpen = false;
  }
}
