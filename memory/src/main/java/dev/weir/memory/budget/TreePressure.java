package dev.weir.memory.budget;

import dev.weir.memory.callback.ListenerCalls;
import dev.weir.memory.pressure.Pressure;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The budgets of a tree that somebody listens to. A charge that leaves the band of its level only
 * notes that, and the purger is told once the lock is free; {@link #tell} finds the levels and
 * posts them.
 */
/*
 * Charges contain what heaps hold as credit, and credit is spent without the lock. So a charge may leave its band for
 * nothing, and a level may change without a charge: the level itself is found without what is not spent, and all
 * budgets are looked at now and then.
 */
final class TreePressure {
  private final BudgetTree tree;
  private final Set<Budget> watched = new HashSet<>();
  private @Nullable PressureWatch firstMoved;

  /** Whether the ledger has to be told. Set under the lock. */
  private volatile boolean news;

  private volatile boolean hasListeners;

  TreePressure(BudgetTree tree) {
    this.tree = tree;
  }

  boolean hasListeners() {
    return hasListeners;
  }

  /** The level of a budget may have changed. Under the lock; allocates nothing. */
  void moved(PressureWatch watch) {
    if (!watch.isMoved) {
      link(watch);
      news = true;
    }
  }

  private void link(PressureWatch watch) {
    watch.isMoved = true;
    watch.nextMoved = firstMoved;
    firstMoved = watch;
  }

  /** Not under the lock. */
  void tellOfNews() {
    if (news) {
      // Whoever sets it again tells again.
      news = false;
      tree.ledger.pressureMoved();
    }
  }

  void add(Budget budget, ListenerCalls listener) {
    tree.lock.lock();
    try {
      PressureWatch watch = budget.watch;
      if (watch == null) {
        watch = new PressureWatch(budget);
        watched.add(budget);
        budget.watch = watch;
      }
      watch.add(listener);
      hasListeners = true;
      moved(watch);
    } finally {
      tree.lock.unlock();
    }
    tellOfNews();
  }

  void remove(Budget budget, ListenerCalls listener) {
    boolean forgotten = false;
    tree.lock.lock();
    try {
      PressureWatch watch = budget.watch;
      if (watch != null && watch.remove(listener)) {
        forget(budget);
        forgotten = true;
      }
    } finally {
      tree.lock.unlock();
    }
    if (forgotten && !budget.isTracked()) {
      tree.ledger.watchUsed(0, Long.MAX_VALUE);
    }
  }

  private void forget(Budget budget) {
    budget.watch = null;
    watched.remove(budget);
    if (watched.isEmpty()) {
      hasListeners = false;
      // Nobody comes for those of whom there was news, and they would keep their budgets alive.
      firstMoved = null;
    }
  }

  /**
   * Posts the levels of this moment to those who listen. One thread at a time, so that each
   * listener hears them in order.
   *
   * @param all also of budgets of which nothing is known to have changed; the root's pages do not
   *     tell the tree, so it is always looked at
   */
  void tell(Budget root, boolean all) {
    PressureWatch due;
    tree.lock.lock();
    try {
      if (all) {
        watched.forEach(this::linkWatch);
      }
      linkWatch(root);
      due = takeMoved();
    } finally {
      tree.lock.unlock();
    }
    while (due != null) {
      PressureWatch next = due.nextDue;
      due.nextDue = null;
      tell(due.budget);
      due = next;
    }
  }

  private void linkWatch(Budget budget) {
    PressureWatch watch = budget.watch;
    if (watch != null && !watch.isMoved) {
      link(watch);
    }
  }

  /** Takes all out; allocates nothing, so that none is taken by half. */
  private @Nullable PressureWatch takeMoved() {
    PressureWatch due = null;
    for (PressureWatch watch = firstMoved; watch != null; watch = firstMoved) {
      firstMoved = watch.nextMoved;
      watch.nextMoved = null;
      watch.isMoved = false;
      watch.nextDue = due;
      due = watch;
    }
    return due;
  }

  private void tell(Budget budget) {
    long usedByRoot = budget.isTracked() ? 0 : tree.ledger.usedBytes();
    long limitOfRoot = budget.isTracked() ? 0 : tree.ledger.limitBytes();
    Pressure level;
    List<ListenerCalls> listeners;
    long fallsBelow;
    long risesAt;
    tree.lock.lock();
    try {
      PressureWatch watch = budget.watch;
      if (watch == null) {
        return;
      }
      level = look(budget, usedByRoot, limitOfRoot);
      listeners = watch.listeners();
      fallsBelow = watch.fallsBelow();
      risesAt = watch.risesAt();
      if (budget.closed && budget.chargedBytes == 0) {
        forget(budget);
      }
    } finally {
      tree.lock.unlock();
    }
    if (!budget.isTracked()) {
      tree.ledger.watchUsed(fallsBelow, risesAt);
    }
    for (ListenerCalls listener : listeners) {
      listener.post(level);
    }
  }

  /** The level of a budget at this moment. */
  Pressure levelOf(Budget budget) {
    long usedByRoot = budget.isTracked() ? 0 : tree.ledger.usedBytes();
    long limitOfRoot = budget.isTracked() ? 0 : tree.ledger.limitBytes();
    Pressure level;
    tree.lock.lock();
    try {
      Pressure before = budget.pressure;
      level = look(budget, usedByRoot, limitOfRoot);
      if (level != before) {
        mayHaveMoved(budget);
      }
    } finally {
      tree.lock.unlock();
    }
    tellOfNews();
    return level;
  }

  private Pressure look(Budget budget, long usedByRoot, long limitOfRoot) {
    if (!budget.isTracked()) {
      return budget.lookAtPressure(usedByRoot, limitOfRoot);
    }
    if (budget.closed && budget.chargedBytes == 0) {
      budget.pressure = Pressure.NONE;
      return Pressure.NONE;
    }
    return budget.lookAtPressure(
        budget.chargedBytes - tree.unspentBytes(budget), budget.limitBytes);
  }

  /** Whatever the level depends on has changed. Under the lock. */
  void mayHaveMoved(Budget budget) {
    PressureWatch watch = budget.watch;
    if (watch != null) {
      moved(watch);
    }
  }
}
