package dev.weir.memory.budget;

import dev.weir.memory.pressure.Pressure;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one budget and its place among the others: everything that is read and written
 * under the tree's lock, and nothing else.
 *
 * <pre>
 *   charged = direct + Σ charged of the children          charged ≤ limit, unless that was lowered
 * </pre>
 *
 * <p>Credit that heaps hold is charged here; {@link BudgetTree} knows what of it is not spent.
 */
abstract sealed class BudgetNode permits BudgetFigures {
  static final long NO_SOFT_LIMIT = -1;

  final BudgetTree tree;
  final String name;
  final @Nullable Budget parent;

  long limitBytes;
  long heapLimitBytes;

  /** With the credit of heaps. */
  long chargedBytes;

  /** The part of {@link #chargedBytes} that no descendant accounts for. */
  private long directBytes;

  long peakChargedBytes;
  long heapBytes;

  /** By the samples of the pool's profile. */
  long allocatedBytes;

  boolean closed;

  /** Where pressure begins; {@link #NO_SOFT_LIMIT} where that follows from the limit. */
  long softLimitBytes = NO_SOFT_LIMIT;

  Pressure pressure = Pressure.NONE;

  /** Null while nobody listens. */
  @Nullable PressureWatch watch;

  /** How many heaps hold credit of this budget or of one below. */
  int openCredits;

  /** How many grants wait that are to be charged here or below. */
  int waitingGrants;

  private @Nullable Budget firstChild;
  private @Nullable Budget lastChild;
  private @Nullable Budget previousSibling;
  private @Nullable Budget nextSibling;

  BudgetNode(
      BudgetTree tree, String name, @Nullable Budget parent, long limitBytes, long heapLimitBytes) {
    this.tree = tree;
    this.name = name;
    this.parent = parent;
    this.limitBytes = limitBytes;
    this.heapLimitBytes = heapLimitBytes;
  }

  final Budget self() {
    return (Budget) this;
  }

  // The tree.

  final void addChild(Budget child) {
    BudgetNode last = lastChild;
    ((BudgetNode) child).previousSibling = lastChild;
    if (last == null) {
      firstChild = child;
    } else {
      last.nextSibling = child;
    }
    lastChild = child;
  }

  private void removeChild(BudgetNode child) {
    ChildWalk.leaving(tree.firstWalk, child);
    BudgetNode previous = child.previousSibling;
    BudgetNode next = child.nextSibling;
    if (previous == null) {
      firstChild = child.nextSibling;
    } else {
      previous.nextSibling = child.nextSibling;
    }
    if (next == null) {
      lastChild = child.previousSibling;
    } else {
      next.previousSibling = child.previousSibling;
    }
    child.previousSibling = null;
    child.nextSibling = null;
  }

  /** Whether it is still in its parent's list. */
  private boolean isListed() {
    BudgetNode above = parent;
    return above != null && (previousSibling != null || above.firstChild == this);
  }

  final @Nullable Budget firstChild() {
    return firstChild;
  }

  final @Nullable Budget nextSibling() {
    return nextSibling;
  }

  /** Whether it is another budget or lies below it. */
  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  final boolean isWithin(BudgetNode top) {
    BudgetNode node = this;
    while (node != top && node.parent != null) {
      node = node.parent;
    }
    return node == top;
  }

  /** The budget below the root that it is or lies below. */
  final Budget branch() {
    Budget node = self();
    for (Budget above = parent; above != null && above.isTracked(); above = above.parent) {
      node = above;
    }
    return node;
  }

  /** Whether it or a budget above it has been closed. */
  final boolean isCut() {
    BudgetNode node = this;
    while (node.parent != null && !node.closed) {
      node = node.parent;
    }
    return node.closed;
  }

  /** A closed budget leaves the tree with its last charge. */
  final void forgetIfDrained() {
    for (BudgetNode node = this; node.parent != null; node = node.parent) {
      if (node.closed && node.chargedBytes == 0 && node.heapBytes == 0 && node.isListed()) {
        ((BudgetNode) node.parent).removeChild(node);
      }
    }
  }

  // Charges.

  /** The first node from here up that has no room for a charge; null if all have. */
  final @Nullable Budget firstFull(long bytes) {
    for (Budget node = self(); node.parent != null; node = node.parent) {
      if (bytes > node.roomBytes()) {
        return node;
      }
    }
    return null;
  }

  /** What its own limit leaves; negative where that has been lowered. */
  final long roomBytes() {
    return limitBytes - chargedBytes;
  }

  /** The first node from here up whose limit is below a charge, or that is closed; or null. */
  final @Nullable Budget refusingForEverHere(long bytes) {
    for (Budget node = self(); node.parent != null; node = node.parent) {
      if (bytes > node.limitBytes || node.closed) {
        return node;
      }
    }
    return null;
  }

  final void charge(long bytes) {
    directBytes += bytes;
    for (BudgetNode node = this; node.parent != null; node = node.parent) {
      node.chargedBytes += bytes;
      node.peakChargedBytes = Math.max(node.peakChargedBytes, node.chargedBytes);
      node.lookForNews();
    }
  }

  final void unchargeHere(long bytes) {
    directBytes -= bytes;
    for (BudgetNode node = this; node.parent != null; node = node.parent) {
      node.chargedBytes -= bytes;
      node.lookForNews();
    }
    forgetIfDrained();
  }

  private void lookForNews() {
    PressureWatch listening = watch;
    if (listening != null && listening.isLeftBy(chargedBytes)) {
      tree.pressure.moved(listening);
    }
  }

  // Pressure.

  /**
   * Its soft limit beside a limit.
   *
   * @param hardBytes its limit; the pool's for the root
   */
  final long softLimitBeside(long hardBytes) {
    return softLimitBytes == NO_SOFT_LIMIT
        ? Pressure.defaultSoftLimitBytes(hardBytes)
        : softLimitBytes;
  }

  /** Finds the level of this moment. */
  final Pressure lookAtPressure(long usedBytes, long hardBytes) {
    long softBytes = softLimitBeside(hardBytes);
    pressure = pressure.next(usedBytes, softBytes, hardBytes);
    if (watch != null) {
      watch.set(pressure, softBytes, hardBytes);
    }
    return pressure;
  }

  final boolean tryChargeHeapHere(long bytes) {
    for (BudgetNode node = this; node.parent != null; node = node.parent) {
      if (bytes > node.heapLimitBytes - node.heapBytes) {
        return false;
      }
    }
    for (BudgetNode node = this; node.parent != null; node = node.parent) {
      node.heapBytes += bytes;
    }
    return true;
  }

  final void unchargeHeapHere(long bytes) {
    for (BudgetNode node = this; node.parent != null; node = node.parent) {
      node.heapBytes -= bytes;
    }
    forgetIfDrained();
  }

  /** Evaluates the equation of the class comment for it and all below. */
  final void check() {
    long below = 0;
    for (Budget child = firstChild; child != null; child = ((BudgetNode) child).nextSibling) {
      child.check();
      below += child.chargedBytes;
    }
    if (heapBytes < 0
        || directBytes < 0
        || (parent != null && chargedBytes != directBytes + below)) {
      throw new AssertionError(
          "budget '%s': charged %d, here %d, below %d, heap %d"
              .formatted(self().path(), chargedBytes, directBytes, below, heapBytes));
    }
  }
}
