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
   * Takes credit back, if a charge has no room and might get some by that.
   *
   * @param budget of the tree that this is for
   * @return whether it has: then nothing of it is out, and what a charge finds full is
   */
  public boolean takeBackFor(Budget budget, long bytes) {
    return takeBackFor(budget, bytes, /* patient= */ false);
  }

  /**
   * The same for one who is looked at again and again: does without where what heaps hold seems to
   * be too little, which it need not be, since it is read of one after the other. Else each look
   * would bring owners to the tree whose releases call for the next.
   */
  public boolean takeBackIfEnough(Budget budget, long bytes) {
    return takeBackFor(budget, bytes, /* patient= */ true);
  }

  private boolean takeBackFor(Budget budget, long bytes, boolean patient) {
    if (!budget.isTracked() || !tree.recallFor(budget, bytes, isBegun, patient)) {
      return false;
    }
    isBegun = true;
    return true;
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
