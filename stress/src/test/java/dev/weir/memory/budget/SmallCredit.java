package dev.weir.memory.budget;

/**
 * A tree whose heaps hold credit of a few bytes: model checks cannot wait until 32 KiB are spent.
 */
public final class SmallCredit {
  private SmallCredit() {}

  /** The root of one, where credit is granted up to the limit. */
  public static Budget root(long quantumBytes, long maxBytes) {
    return Budget.root(
        "root", () -> Long.MAX_VALUE, 10, () -> 0, new CreditTerms(quantumBytes, maxBytes, 0));
  }
}
