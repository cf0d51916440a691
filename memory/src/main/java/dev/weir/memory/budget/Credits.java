package dev.weir.memory.budget;

import org.jspecify.annotations.Nullable;

/**
 * The credit of one heap: of the few budgets that it charges most. The heap's owner only; whoever
 * closes the heap of an owner that has ended counts as the owner.
 */
public final class Credits {
  /** Some features that share an event loop; with 64 KiB each, 256 KiB in all. */
  private static final int ENTRIES = 4;

  /** So often in a row another budget must come to an entry before it takes it. */
  private static final int VOTES = 8;

  private final @Nullable Credit[] entries = new Credit[ENTRIES];

  /** The newest of them, which is asked first; null where one has been given up since. */
  private @Nullable Credit newest;

  private final @Nullable Budget[] candidates = new Budget[ENTRIES];
  private final int[] votes = new int[ENTRIES];
  private boolean closed;

  /** No credit yet. */
  public Credits() {}

  /** Charges a block, as {@link Budget#tryCharge}. */
  public boolean tryCharge(Budget budget, long bytes) {
    Credit credit = creditOf(budget);
    return credit != null ? credit.tryCharge(bytes) : tryChargeWithout(budget, bytes);
  }

  /** Takes a charge back, as {@link Budget#uncharge}, whoever has charged it. */
  public void uncharge(Budget budget, long bytes) {
    Credit credit = creditOf(budget);
    if (credit != null) {
      credit.uncharge(bytes);
    } else {
      budget.uncharge(bytes);
    }
  }

  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  private @Nullable Credit creditOf(Budget budget) {
    Credit credit = newest;
    return credit != null && credit.budget == budget ? credit : entryOf(budget);
  }

  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  private @Nullable Credit entryOf(Budget budget) {
    Credit credit = entries[budget.number & (ENTRIES - 1)];
    return credit != null && credit.budget == budget ? credit : null;
  }

  private boolean tryChargeWithout(Budget budget, long bytes) {
    if (!closed && budget.mayHaveCredit() && isElected(budget)) {
      return newEntry(budget).tryCharge(bytes);
    }
    return budget.tryCharge(bytes);
  }

  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  private boolean isElected(Budget budget) {
    int entry = budget.number & (ENTRIES - 1);
    if (candidates[entry] != budget) {
      candidates[entry] = budget;
      votes[entry] = 0;
    }
    return ++votes[entry] == VOTES;
  }

  private Credit newEntry(Budget budget) {
    int entry = budget.number & (ENTRIES - 1);
    candidates[entry] = null;
    Credit fresh = new Credit(budget);
    giveUp(entry);
    entries[entry] = fresh;
    newest = fresh;
    return fresh;
  }

  private void giveUp(int entry) {
    Credit credit = entries[entry];
    if (credit != null) {
      credit.budget.tree.end(credit);
      entries[entry] = null;
      newest = null;
    }
  }

  /** Gives all credit back; from then on every charge goes to the tree. */
  public void close() {
    closed = true;
    for (int entry = 0; entry < ENTRIES; entry++) {
      giveUp(entry);
      candidates[entry] = null;
    }
  }
}
