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

/** The owner of a heap spends and returns its credit while others take it back. */
public final class CreditRaces {
  private static final long BYTES = 5;
  private static final CreditTerms TERMS = new CreditTerms(BYTES, 2 * BYTES, 0);

  private CreditRaces() {}

  private abstract static class Tree {
    final Budget root = Budget.root("root", () -> Long.MAX_VALUE, 0, () -> 0, TERMS);
    final Budget feature = root.child("feature", 4 * BYTES);

    /** Charged once, with as much credit again. */
    final Credit credit = new Credit(feature);

    Tree() {
      if (!credit.tryCharge(BYTES) || credit.unspentBytes() != BYTES) {
        throw new AssertionError("no credit");
      }
    }

    String state() {
      root.checkInvariants();
      return feature.chargedBytes() + (root.children().isEmpty() ? " gone" : " there");
    }
  }

  /** What both want only one can have, and one gets it. */
  @JCStressTest
  @Outcome(id = "true, false, 10 there", expect = Expect.ACCEPTABLE, desc = "spent first")
  @Outcome(id = "false, true, 20 there", expect = Expect.ACCEPTABLE, desc = "recalled first")
  @State
  public static class SpendAgainstRecall extends Tree {
    @Actor
    public void spend(ZZL_Result seen) {
      seen.r1 = credit.tryCharge(BYTES);
    }

    @Actor
    public void charge(ZZL_Result seen) {
      seen.r2 = feature.tryCharge(3 * BYTES);
    }

    @Arbiter
    public void afterwards(ZZL_Result seen) {
      seen.r3 = state();
    }
  }

  /** What the owner gives back goes to its credit or to whoever recalls that; never to both. */
  @JCStressTest
  @Outcome(id = "true, 20 there, 0 there", expect = Expect.ACCEPTABLE, desc = "released first")
  @Outcome(id = "false, 0 there, 0 there", expect = Expect.ACCEPTABLE, desc = "refused first")
  @State
  public static class ReleaseAgainstRecall extends Tree {
    @Actor
    public void release() {
      credit.uncharge(BYTES);
    }

    @Actor
    public void charge(ZL_Result seen) {
      seen.r1 = feature.tryCharge(4 * BYTES);
    }

    @Arbiter
    public void afterwards(ZL_Result seen) {
      String before = state();
      if (seen.r1) {
        feature.uncharge(4 * BYTES);
      }
      seen.r2 = before + ", " + state();
    }
  }

  /** A closed budget pays for nothing more, whatever credit is out. */
  @JCStressTest
  @Outcome(id = "true, 10 there, 0 gone", expect = Expect.ACCEPTABLE, desc = "spent, then closed")
  @Outcome(id = "false, 5 there, 0 gone", expect = Expect.ACCEPTABLE, desc = "closed first")
  @State
  public static class SpendAgainstClose extends Tree {
    @Actor
    public void spend(ZL_Result seen) {
      seen.r1 = credit.tryCharge(BYTES);
    }

    @Actor
    public void close() {
      feature.close();
    }

    @Arbiter
    public void afterwards(ZL_Result seen) {
      String before = state();
      credit.uncharge(seen.r1 ? 2 * BYTES : BYTES);
      seen.r2 = before + ", " + state();
    }
  }

  /** The last block goes while the budget is closed: somebody takes it out of the tree. */
  @JCStressTest
  @Outcome(id = "0 gone", expect = Expect.ACCEPTABLE)
  @State
  public static class ReleaseAgainstClose extends Tree {
    @Actor
    public void release() {
      credit.uncharge(BYTES);
    }

    @Actor
    public void close() {
      feature.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = state();
    }
  }

  /** A limit that has been lowered is kept, also by what is spent from credit. */
  @JCStressTest
  @Outcome(id = "true, 10 there", expect = Expect.ACCEPTABLE, desc = "spent, then lowered")
  @Outcome(id = "false, 5 there", expect = Expect.ACCEPTABLE, desc = "lowered first")
  @State
  public static class SpendAgainstLowering extends Tree {
    @Actor
    public void spend(ZL_Result seen) {
      seen.r1 = credit.tryCharge(BYTES);
    }

    @Actor
    public void lower() {
      feature.setLimitBytes(BYTES);
    }

    @Arbiter
    public void afterwards(ZL_Result seen) {
      seen.r2 = state();
    }
  }
}
