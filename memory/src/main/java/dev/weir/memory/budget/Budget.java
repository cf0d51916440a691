package dev.weir.memory.budget;

import dev.weir.memory.budget.RefusedCharge.Hope;
import dev.weir.memory.callback.ListenerCalls;
import dev.weir.memory.pressure.Pressure;
import dev.weir.memory.pressure.PressureListener;
import dev.weir.memory.pressure.Registration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A node in a tree of limits and counters.
 *
 * <p>The root stands for the pool: its limit is that of <em>resident pages</em>, which the page
 * heap enforces, and blocks charged to it cost nothing here. Every other node limits <em>charged
 * bytes</em>: the sizes of the blocks charged to it and to its descendants. Each node also counts
 * and limits bytes of Java heap buffers, apart from that.
 *
 * <p>A charge succeeds in every node from the charged one up to the root, or in none: no node ever
 * shows a charge that another node refuses, so a giant above the limit does not fail a small
 * request beside it. A block is charged before its pages are taken: where the pool has none at the
 * moment, its charge shows meanwhile, and in the peak; one that is larger than the pool is not
 * charged. Thread-safe; bytes throughout.
 *
 * <p>Event loops that charge small blocks take credit from the tree in advance where every limit is
 * far enough away: at most 64 KiB of a budget each. What they have not spent is charged to nobody
 * in what this class tells, and no charge is refused for it; only the peaks count it.
 */
/*
 * One spin lock for the whole tree makes a charge exact in a few nanoseconds, and credit spares the owners of heaps most
 * of these. Lock order: heap stripe, page heap, budget tree; nothing is called under this lock.
 */
public final class Budget extends BudgetFigures {
  /** No limit of its own. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private static final int MAX_NAME_LENGTH = 128;

  /** See {@link #number()}. */
  final int number;

  /** Null until a refusal names its children. Under the tree's lock. */
  private @Nullable LargestNames largestNames;

  private Budget(
      BudgetTree tree, String name, @Nullable Budget parent, long limitBytes, long heapLimitBytes) {
    super(tree, name, parent, limitBytes, heapLimitBytes);
    this.number = tree.nextNumber();
  }

  /**
   * Creates the root of a tree that nobody looks after.
   *
   * @param residentLimitBytes tells the pool's limit of resident bytes
   * @param heapLimitBytes the limit of Java heap buffers
   * @param liveBlockBytes tells the bytes of all live blocks, those charged to descendants included
   */
  public static Budget root(
      String name,
      LongSupplier residentLimitBytes,
      long heapLimitBytes,
      LongSupplier liveBlockBytes) {
    return root(name, residentLimitBytes, heapLimitBytes, liveBlockBytes, CreditTerms.DEFAULT);
  }

  static Budget root(
      String name,
      LongSupplier residentLimitBytes,
      long heapLimitBytes,
      LongSupplier liveBlockBytes,
      CreditTerms terms) {
    return root(name, new QuietLedger(residentLimitBytes, liveBlockBytes), heapLimitBytes, terms);
  }

  /**
   * Creates the root of the tree of a pool.
   *
   * @param heapLimitBytes the limit of Java heap buffers
   */
  public static Budget root(String name, RootLedger ledger, long heapLimitBytes) {
    return root(name, ledger, heapLimitBytes, CreditTerms.DEFAULT);
  }

  private static Budget root(
      String name, RootLedger ledger, long heapLimitBytes, CreditTerms terms) {
    return new Budget(
        new BudgetTree(terms, ledger), requireName(name), null, UNLIMITED, heapLimitBytes);
  }

  /** Tells it from all others of its tree, also from those that are closed. */
  public int number() {
    return number;
  }

  /**
   * Creates a budget below this one.
   *
   * @param childName unique enough for people; at most 128 characters, not blank
   * @param childLimitBytes the most that may be charged to it; {@link #UNLIMITED} leaves that to
   *     its ancestors
   * @throws IllegalArgumentException if the name or the limit is out of range
   * @throws IllegalStateException if this budget is closed
   */
  public Budget child(String childName, long childLimitBytes) {
    if (childLimitBytes < 0) {
      throw new IllegalArgumentException(
          "limit of budget '" + childName + "' is negative: " + childLimitBytes);
    }
    Budget child = new Budget(tree, requireName(childName), this, childLimitBytes, UNLIMITED);
    boolean added =
        locked(() -> {
          if (isCut()) {
            return false;
          }
          addChild(child);
          return true;
        });
    if (!added) {
      throw new IllegalStateException("budget '" + path() + "' is closed");
    }
    return child;
  }

  /**
   * Changes the limit of a node below the root. A limit below what is charged takes effect as
   * memory is freed.
   */
  public void setLimitBytes(long bytes) {
    if (parent == null) {
      throw new IllegalStateException("the limit of the root budget is its pool's: set it there");
    }
    if (bytes < 0) {
      throw new IllegalArgumentException("limit of budget '" + path() + "' is negative: " + bytes);
    }
    tree.lock.lock();
    if (openCredits > 0 && chargedBytes > bytes) {
      lockAgainWithoutCredit();
    }
    limitBytes = bytes;
    tree.limitChanged(this);
    tree.pressure.mayHaveMoved(this);
    tree.lock.unlock();
    tree.tellOfRoom();
  }

  /** Before anyone sees what nobody may charge any more: heaps spend their credit unasked. */
  private void lockAgainWithoutCredit() {
    tree.lock.unlock();
    tree.lockWithoutCredit(this);
  }

  // Pressure.

  /**
   * Changes the soft limit, which until then follows the limit.
   *
   * @param bytes {@link #UNLIMITED} for none: then pressure begins where it is critical
   */
  public void setSoftLimitBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "soft limit of budget '" + path() + "' is negative: " + bytes);
    }
    tree.lock.lock();
    softLimitBytes = bytes;
    tree.pressure.mayHaveMoved(this);
    tree.lock.unlock();
    tree.tell();
  }

  /**
   * Has somebody called whenever the pressure of this budget changes, and soon if it is not {@link
   * Pressure#NONE} now. Levels are looked at when charges and pages reach one, and twice a second.
   */
  public Registration addPressureListener(PressureListener listener) {
    ListenerCalls calls = new ListenerCalls(listener, path());
    // Made first: without it nobody could end what has begun.
    Registration registration =
        () -> {
          calls.close();
          tree.pressure.remove(this, calls);
        };
    tree.pressure.add(this, calls);
    return registration;
  }

  /**
   * Tells listeners of the levels of this moment. The pool's purger calls it, for the root.
   *
   * @param all of all budgets, not only of those whose charges have reached a level
   */
  public void tellPressure(boolean all) {
    tree.pressure.tell(this, all);
  }

  /** A sample has been taken that stands for so many bytes. For the pool's profile. */
  public void countAllocated(long bytes) {
    tree.lock.lock();
    for (Budget node = this; node != null; node = node.parent) {
      node.allocatedBytes += bytes;
    }
    tree.lock.unlock();
  }

  /** Changes the limit of Java heap buffers: for the root, of the arrays behind them. */
  public void setHeapLimitBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "heap limit of budget '" + path() + "' is negative: " + bytes);
    }
    tree.lock.lock();
    heapLimitBytes = bytes;
    tree.lock.unlock();
  }

  /** Those of its children that hold most, in words, perhaps of shortly before; may be empty. */
  String largestNames() {
    LargestNames names =
        locked(() -> {
          if (firstChild() != null && largestNames == null) {
            largestNames = new LargestNames(this, System::nanoTime);
          }
          return largestNames;
        });
    return names == null ? "" : names.words();
  }

  /**
   * Charges a block to this node and all above it, or to none. The root accepts everything: pages
   * are its limit.
   */
  public boolean tryCharge(long bytes) {
    return parent == null || tree.tryCharge(this, bytes);
  }

  /**
   * As {@link #tryCharge}, but takes back no credit, and so is done in a moment: what heaps have
   * not spent counts as charged. Where that is the reason, a {@link CreditRecall} helps.
   *
   * @return null if it is charged; otherwise why it is not
   */
  public @Nullable RefusedCharge chargeUnlessFull(long bytes) {
    if (parent == null) {
      return null;
    }
    Budget full;
    Hope hope = Hope.NONE;
    tree.lock.lock();
    try {
      full = isCut() ? this : firstFull(bytes);
      if (full == null) {
        charge(bytes);
      } else if (!isCut()) {
        Budget limiting = firstLimiting(bytes);
        full = limiting == null ? full : limiting;
        if (firstSurelyFull(bytes) == null) {
          hope = limiting == null ? Hope.GOOD : Hope.SLIGHT;
        }
      }
    } finally {
      tree.lock.unlock();
    }
    tree.tell();
    return full == null ? null : new RefusedCharge(full, hope);
  }

  /** Whether a charge of so many bytes can never succeed: a limit is below it, or it is closed. */
  public boolean refusesForEver(long bytes) {
    return refusingForEver(bytes) != null;
  }

  /**
   * The node, from here up, for which a charge of so many bytes can never succeed: its limit is
   * below that, or it is closed; null if there is none.
   */
  public @Nullable Budget refusingForEver(long bytes) {
    return locked(() -> refusingForEverHere(bytes));
  }

  /**
   * How often, while grants waited for a budget of its tree, its limit was set or it was closed: as
   * long as it is the same, {@link #refusesForEver} says the same of what waits.
   */
  public long limitChanges() {
    return lockedLong(() -> tree.limitChanges);
  }

  /**
   * A grant of so many bytes waits for it: the pool is told when charges go down. Of what an event
   * loop releases into its credit it is told once that is more than the credit may be; the purger's
   * next round finds the rest.
   */
  public void beginWaiting(long bytes) {
    tree.beginWaiting(this, bytes);
  }

  /** One that waited for it waits no longer. */
  public void endWaiting() {
    tree.endWaiting(this);
  }

  /** Whether a charge of so many bytes would succeed now; takes back the credit of heaps for it. */
  public boolean hasRoom(long bytes) {
    return fullFor(bytes) == null;
  }

  /**
   * The node, from here up, that has no room for a charge of so many bytes, or this one if it is
   * closed; null if all have. Takes back the credit of heaps for that, if it may help.
   */
  public @Nullable Budget fullFor(long bytes) {
    return parent == null ? null : tree.fullFor(this, bytes);
  }

  /**
   * As {@link #firstFull}, but only one that would have no room if heaps held no credit either: its
   * limit is below the charge, or too near by the most that they could hold. What they do hold is
   * read of one after the other, and in the meantime one may have spent what another has got back.
   * Under the tree's lock.
   */
  @Nullable Budget firstSurelyFull(long bytes) {
    Budget full = firstFull(bytes);
    while (full != null
        && bytes <= full.limitBytes
        && bytes - tree.mostUnspentBytes(full) <= full.roomBytes()) {
      full = full.parent == null ? null : full.parent.firstFull(bytes);
    }
    return full;
  }

  /**
   * As {@link #firstFull}, but what heaps seem to hold unspent is room too. A guess, for words, for
   * whom to ask, and for those who look again; nothing is refused for it. Under the tree's lock.
   */
  @Nullable Budget firstLimiting(long bytes) {
    Budget full = firstFull(bytes);
    while (full != null && bytes - tree.unspentBytes(full) <= full.roomBytes()) {
      full = full.parent == null ? null : full.parent.firstFull(bytes);
    }
    return full;
  }

  /** Takes a charge back. */
  public void uncharge(long bytes) {
    if (parent == null) {
      return;
    }
    tree.lock.lock();
    try {
      unchargeHere(bytes);
    } finally {
      tree.lock.unlock();
    }
    tree.tellOfRoom();
  }

  /**
   * Counts a Java heap buffer here and in all nodes above, or in none. The root keeps no count: its
   * limit is for arrays.
   */
  public boolean tryChargeHeap(long bytes) {
    tree.lock.lock();
    try {
      return !isCut() && tryChargeHeapHere(bytes);
    } finally {
      tree.lock.unlock();
    }
  }

  /** Takes the count of a Java heap buffer back. */
  public void unchargeHeap(long bytes) {
    tree.lock.lock();
    try {
      unchargeHeapHere(bytes);
    } finally {
      tree.lock.unlock();
    }
  }

  /**
   * The node, from here up, that seems to have no room for a charge of so many bytes, or this one
   * if it is closed; null if all seem to have some. A guess, for words and for whom to ask: what
   * heaps hold of credit is not taken back, but read of one after the other.
   */
  public @Nullable Budget limiting(long bytes) {
    return locked(() -> isCut() ? this : firstLimiting(bytes));
  }

  /** Whether its own limit is not so near that heaps never hold credit of it. A guess: no lock. */
  boolean mayHaveCredit() {
    return parent != null && limitBytes > tree.terms.quantumBytes() + tree.terms.roomBytes();
  }

  /**
   * Takes this budget out of the tree: nothing more can be charged to it or below it. What is
   * charged stays charged, here and above, until it is released. Needs no Java heap.
   */
  public void close() {
    if (parent == null) {
      throw new IllegalStateException("the root budget is closed with its pool");
    }
    boolean isLocked = false;
    try {
      tree.lock.lock();
      if (openCredits > 0) {
        lockAgainWithoutCredit();
      }
      isLocked = true;
    } finally {
      if (!isLocked) {
        // Owners could not be waited for. Who is at it spends once more, and then none does.
        tree.lock.lock();
      }
      closed = true;
      tree.limitChanged(this);
      tree.pressure.mayHaveMoved(this);
      forgetIfDrained();
      tree.lock.unlock();
    }
    tree.tellOfRoom();
  }

  /**
   * Evaluates, for this node and all below: charged = charged here + charged to the children, and
   * nothing is negative.
   *
   * @throws AssertionError where that does not hold
   */
  public void checkInvariants() {
    tree.lock.lock();
    try {
      check();
    } finally {
      tree.lock.unlock();
    }
  }

  private static String requireName(String name) {
    if (name.isBlank() || name.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "a budget's name has 1 to " + MAX_NAME_LENGTH + " characters: '" + name + "'");
    }
    return name;
  }
}
