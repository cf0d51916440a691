package dev.weir.memory.budget;

/**
 * What heaps have not spent is taken back for those who charge without asking for it ({@link
 * Budget#chargeUnlessFull}). From the first time on no heap of the tree is granted credit until
 * this is closed: else an owner at work would have it again before they come. One thread's.
 */
public final class CreditRecall implements AutoCloseable {
  private final BudgetTree tree;

  /** Whether heaps are granted no credit for it. */
  private boolean isBegun;

  private CreditRecall(BudgetTree tree) {
    this.tree = tree;
  }

  /** One that has taken back nothing yet. */
  public static CreditRecall in(Budget root) {
    return new CreditRecall(root.tree);
  }

  /**
   * Takes back all that heaps hold of a budget and of those beside it below the root; for the root,
   * of all. What a charge finds full there is full then.
   *
   * @param budget of the tree that this is for
   */
  public void takeBack(Budget budget) {
    if (!isBegun) {
      tree.beginRecall();
      isBegun = true;
    }
    tree.lockWithoutCredit(budget.branch());
    tree.lock.unlock();
    tree.tell();
  }

  /** Heaps are granted credit again. */
  @Override
  public void close() {
    if (isBegun) {
      isBegun = false;
      tree.endRecall();
    }
  }
}
