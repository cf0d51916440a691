package dev.weir.memory.budget;

import dev.weir.memory.pressure.Pressure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What can be read of a budget, each figure of one moment but for the credit of event loops: the
 * lock of the tree is held for it. Any thread; nothing here changes a limit or a charge.
 */
abstract sealed class BudgetFigures extends BudgetNode permits Budget {
  BudgetFigures(
      BudgetTree tree, String name, @Nullable Budget parent, long limitBytes, long heapLimitBytes) {
    super(tree, name, parent, limitBytes, heapLimitBytes);
  }

  /** Its own name. */
  public final String name() {
    return name;
  }

  /**
   * Its name behind those of its ancestors, from the root on, with slashes between them. A slash in
   * a name is written as {@code %2F}, and a percent sign as {@code %25}.
   */
  public final String path() {
    return parent == null ? BudgetPath.of(name) : BudgetPath.below(parent.path(), name);
  }

  /** The budget at the top of its tree. */
  public final Budget root() {
    Budget node = self();
    while (node.parent != null) {
      node = node.parent;
    }
    return node;
  }

  /** The budget above it; null for the root. */
  public final @Nullable Budget parent() {
    return parent;
  }

  /**
   * Whether blocks are charged here: true for all but the root, whose ledger is the page heap's.
   */
  public final boolean isTracked() {
    return parent != null;
  }

  /** Whether both are of one tree: the budgets of one pool. */
  @SuppressWarnings("ReferenceEquality") // a tree is its identity
  public final boolean isOfSameTree(Budget other) {
    return tree == other.tree;
  }

  /**
   * Resident bytes for the root, charged bytes for every other node; {@link Budget#UNLIMITED} if it
   * has none.
   */
  public final long limitBytes() {
    return parent == null ? tree.ledger.limitBytes() : lockedLong(() -> limitBytes);
  }

  /** Whether it is another budget or lies below it. */
  public final boolean isBelowOrSame(Budget other) {
    return isWithin(other);
  }

  /**
   * Bytes of live blocks charged to it and its descendants. What event loops hold of it unspent is
   * read of one after the other: with several, of which one allocates while another releases, the
   * figure may miss or count twice what they do in that moment.
   */
  public final long chargedBytes() {
    return parent == null
        ? tree.ledger.liveBlockBytes()
        : lockedLong(() -> chargedBytes - tree.unspentBytes(self()));
  }

  /**
   * Bytes of live blocks charged to its descendants: the part of {@link #chargedBytes()} that they
   * account for.
   */
  public final long chargedToChildrenBytes() {
    return largestChildren(0).otherBytes();
  }

  /**
   * The most that was ever charged, with the credit that event loops held; never above the limits
   * of its time. 0 for the root.
   */
  public final long peakChargedBytes() {
    return lockedLong(() -> peakChargedBytes);
  }

  /**
   * All that has ever been allocated for it and its descendants, released or not: what it has grown
   * by in a second is the rate of allocation. An unbiased estimate by the samples of the pool's
   * profile, so in steps of some hundred KiB; 0 where the pool keeps none.
   */
  public final long allocatedBytes() {
    return lockedLong(() -> allocatedBytes);
  }

  /** Bytes of live Java heap buffers charged to it and its descendants, as their slots count. */
  public final long heapBytes() {
    return parent == null ? tree.ledger.liveHeapBytes() : lockedLong(() -> heapBytes);
  }

  /**
   * What its limit of Java heap buffers is for: for the root the bytes of all arrays behind them,
   * with what is free in these, for every other node {@link #heapBytes}.
   */
  public final long heldHeapBytes() {
    return parent == null ? tree.ledger.heldHeapBytes() : heapBytes();
  }

  /** The limit of Java heap buffers: see {@link #heldHeapBytes}. */
  public final long heapLimitBytes() {
    return lockedLong(() -> heapLimitBytes);
  }

  /** How close it is to its limit now, the closer for what it was before: see {@link Pressure}. */
  public final Pressure pressure() {
    return tree.pressure.levelOf(self());
  }

  /**
   * Where pressure begins: as set, or three quarters of its limit. Nothing is refused for it. For
   * the root it counts live and promised pages, which cannot be given back at once, for every other
   * node charged bytes.
   */
  public final long softLimitBytes() {
    long hardBytes = limitBytes();
    return lockedLong(() -> softLimitBeside(hardBytes));
  }

  /** Whether anyone listens to the pressure of a budget of this tree. */
  public final boolean hasPressureListeners() {
    return tree.pressure.hasListeners();
  }

  /** Those of its children that were there all the time that it takes to list them. */
  public final List<Budget> children() {
    List<Budget> children = new ArrayList<>();
    ChildWalk.through(self(), (child, chargedBytes) -> children.add(child));
    return List.copyOf(children);
  }

  /**
   * Those of its children that hold most, so many of them, and what the others hold. Takes time for
   * each child, but stops nobody.
   */
  public final LargestChildren largestChildren(int count) {
    return LargestChildren.of(self(), count);
  }

  /** Whether it or a budget above it has been closed. */
  public final boolean isClosed() {
    return locked(this::isCut);
  }

  @Override
  public final String toString() {
    return "Budget[%s: %d of %d bytes]".formatted(path(), chargedBytes(), limitBytes());
  }

  final long lockedLong(LongSupplier read) {
    tree.lock.lock();
    try {
      return read.getAsLong();
    } finally {
      tree.lock.unlock();
    }
  }

  final <T> T locked(Supplier<T> action) {
    tree.lock.lock();
    try {
      return action.get();
    } finally {
      tree.lock.unlock();
    }
  }
}
