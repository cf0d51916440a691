package dev.weir.memory.budget;

import dev.weir.memory.os.ProcessBarrier;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What one heap may still charge to one budget without asking the tree. The heap's owner spends and
 * returns with plain loads and stores; anyone can take back what is not spent, without the owner's
 * help.
 *
 * <pre>
 *   unspent = granted − spent
 * </pre>
 */
/*
 * A lock that is biased towards the owner, in two words that have one writer each.
 *
 *   owner:     spent := odd;  light barrier;  read ceiling;  spent := the new sum, or the old one
 *   recaller:  ceiling := SHUT;  heavy barrier;  wait until spent is even;  settle
 *
 * After the heavy barrier either the owner has seen SHUT, or its odd word is seen and its result waited for. `spent` only
 * sinks after that: what is released meanwhile is found by the owner itself, which reads the ceiling after each
 * release too, finds it shut, and settles under the tree's lock.
 *
 * Both words count in halves of a byte, so that the lowest bit is free. `spent` may be negative: blocks that other
 * threads have charged are returned here when the owner releases them.
 */
final class Credit {
  /** A ceiling that no sum is below: nothing can be spent, and every release is looked after. */
  private static final long SHUT = Long.MIN_VALUE / 2;

  private static final VarHandle SPENT;
  private static final VarHandle CEILING;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      SPENT = lookup.findVarHandle(Credit.class, "spent", long.class);
      CEILING = lookup.findVarHandle(Credit.class, "ceiling", long.class);
      // Made ready here, not by an owner whom others wait for.
      ProcessBarrier.light();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Budget budget;
  private final long maxUnspent;

  /** Twice the bytes; plus one while the owner has not decided. The owner only. */
  private long spent;

  /** What {@link #spent} may reach, or {@link #SHUT}. Written under the tree's lock. */
  @SuppressWarnings("UnusedVariable") // through CEILING
  private long ceiling = SHUT;

  // Under the tree's lock.

  /** What the tree has been charged. */
  long grantedBytes;

  /** Whether it is in the tree's list. */
  boolean isOpen;

  @Nullable Credit previousOpen;
  @Nullable Credit nextOpen;

  Credit(Budget budget) {
    this.budget = budget;
    this.maxUnspent = 2 * budget.tree.terms.maxBytes();
  }

  /** Charges a block. The owner only. */
  boolean tryCharge(long bytes) {
    return trySpend(bytes) || budget.tree.tryCharge(this, bytes);
  }

  private boolean trySpend(long bytes) {
    long before = spent;
    long after = before + 2 * bytes;
    try {
      SPENT.setOpaque(this, before | 1);
      ProcessBarrier.light();
      if (after <= (long) CEILING.getOpaque(this)) {
        SPENT.setOpaque(this, after);
        return true;
      }
      SPENT.setOpaque(this, before);
      return false;
    } catch (StackOverflowError e) {
      spent = before; // All who recall credit wait while this is undecided.
      throw e;
    }
  }

  /** Takes a charge back. The owner only. */
  void uncharge(long bytes) {
    long after = spent - 2 * bytes;
    SPENT.setOpaque(this, after);
    ProcessBarrier.light();
    // Unsigned: a ceiling that is shut leaves less than nothing.
    if (Long.compareUnsigned((long) CEILING.getOpaque(this) - after, maxUnspent) > 0) {
      budget.tree.settleRelease(this, bytes);
    }
  }

  /** Under the tree's lock: from the next heavy barrier on, nothing more is spent. */
  void shut() {
    CEILING.setOpaque(this, SHUT);
  }

  /** Under the tree's lock: lets the owner spend up to what is granted. */
  void open() {
    CEILING.setOpaque(this, 2 * grantedBytes);
  }

  /** Whether the owner is between its look at the ceiling and its answer. Any thread. */
  boolean isUndecided() {
    return ((long) SPENT.getAcquire(this) & 1) != 0;
  }

  /** What is not spent, of what is granted. Under the tree's lock. */
  long unspentBytes() {
    return grantedBytes - spentBytes();
  }

  long spentBytes() {
    return (long) SPENT.getAcquire(this) >> 1;
  }
}
