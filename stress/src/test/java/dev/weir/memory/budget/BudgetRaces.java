package dev.weir.memory.budget;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.ZL_Result;
import org.openjdk.jcstress.infra.results.ZZL_Result;

/** Charges to a tree of budgets, and its pruning. */
public final class BudgetRaces {
  private static final long BYTES = 10;

  private BudgetRaces() {}

  private abstract static class Tree {
    final Budget root = Budget.root("root", () -> Long.MAX_VALUE, 0, () -> 0);
    final Budget middle = root.child("middle", BYTES);
    final Budget left = middle.child("left", BYTES);
    final Budget right = middle.child("right", BYTES);

    /** The charge of the middle, and whether the root still knows of it. */
    String state() {
      root.checkInvariants();
      return middle.chargedBytes() + (root.children().isEmpty() ? " gone" : " there");
    }
  }

  /** Both want what only one can have: exactly one gets it. */
  @JCStressTest
  @Outcome(id = "(true, false|false, true), 10 there", expect = Expect.ACCEPTABLE)
  @State
  public static class ChargeAgainstCharge extends Tree {
    @Actor
    public void first(ZZL_Result seen) {
      seen.r1 = left.tryCharge(BYTES);
    }

    @Actor
    public void second(ZZL_Result seen) {
      seen.r2 = right.tryCharge(BYTES);
    }

    @Arbiter
    public void afterwards(ZZL_Result seen) {
      seen.r3 = state();
    }
  }

  /** A closed budget takes no charge; one that is charged stays until it is not. */
  @JCStressTest
  @Outcome(id = "true, 10 there, 0 gone", expect = Expect.ACCEPTABLE, desc = "charged, then closed")
  @Outcome(id = "false, 0 gone, 0 gone", expect = Expect.ACCEPTABLE, desc = "closed first")
  @State
  public static class ChargeAgainstClose extends Tree {
    @Actor
    public void charge(ZL_Result seen) {
      seen.r1 = left.tryCharge(BYTES);
    }

    @Actor
    public void close() {
      middle.close();
    }

    @Arbiter
    public void afterwards(ZL_Result seen) {
      String before = state();
      if (seen.r1) {
        left.uncharge(BYTES);
      }
      seen.r2 = before + ", " + state();
    }
  }

  /** The last charge goes while the budget is closed: nobody forgets to take it out of the tree. */
  @JCStressTest
  @Outcome(id = "0 gone", expect = Expect.ACCEPTABLE)
  @State
  public static class UnchargeAgainstClose extends Tree {
    public UnchargeAgainstClose() {
      left.tryCharge(BYTES);
    }

    @Actor
    public void uncharge() {
      left.uncharge(BYTES);
    }

    @Actor
    public void close() {
      middle.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = state();
    }
  }

  /** A child is made while its parent is closed: it is refused, or it is closed with it. */
  @JCStressTest
  @Outcome(id = "closed", expect = Expect.ACCEPTABLE)
  @Outcome(id = "refused", expect = Expect.ACCEPTABLE)
  @State
  public static class ChildAgainstClose extends Tree {
    private Budget child;

    @Actor
    public void child() {
      try {
        child = middle.child("child", BYTES);
      } catch (IllegalStateException e) {
        child = null;
      }
    }

    @Actor
    public void close() {
      middle.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = child == null ? "refused" : child.tryCharge(1) ? "charged" : "closed";
    }
  }
}
