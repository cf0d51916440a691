package dev.weir.memory.sync;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** The lock of a stripe, whose owner takes it without an atomic while others take it over. */
public final class BiasedLockRaces {
  private BiasedLockRaces() {}

  private abstract static class Guarded {
    /** Biased from the second time in a row on. */
    final BiasedLock lock = new BiasedLock(2);

    int guarded;
    private volatile boolean biased;

    void increment() {
      lock.tryLock(Long.MAX_VALUE);
      guarded++;
      lock.unlock();
    }

    /** Twice to become the owner, and then as the owner. */
    void incrementAsOwner() {
      increment();
      increment();
      biased = true;
      increment();
    }

    void awaitBias() {
      while (!biased) {
        Thread.onSpinWait();
      }
    }
  }

  /** The owner goes on while another thread takes its lock over, once. */
  @JCStressTest
  @Outcome(id = "4", expect = Expect.ACCEPTABLE)
  @State
  public static class OwnerAgainstOther extends Guarded {
    @Actor
    public void owner() {
      incrementAsOwner();
    }

    @Actor
    public void other() {
      awaitBias();
      increment();
    }

    @Arbiter
    public void afterwards(I_Result seen) {
      seen.r1 = guarded;
    }
  }

  /** Each takes the other's bias over, in turn. */
  @JCStressTest
  @Outcome(id = "6", expect = Expect.ACCEPTABLE)
  @State
  public static class OwnerAgainstOwner extends Guarded {
    @Actor
    public void one() {
      increment();
      increment();
      increment();
    }

    @Actor
    public void another() {
      increment();
      increment();
      increment();
    }

    @Arbiter
    public void afterwards(I_Result seen) {
      seen.r1 = guarded;
    }
  }

  /** Two want the bias of a third: one at a time has the lock. */
  @JCStressTest
  @Outcome(id = "5", expect = Expect.ACCEPTABLE)
  @State
  public static class OwnerAgainstTwo extends Guarded {
    @Actor
    public void owner() {
      incrementAsOwner();
    }

    @Actor
    public void one() {
      awaitBias();
      increment();
    }

    @Actor
    public void another() {
      awaitBias();
      increment();
    }

    @Arbiter
    public void afterwards(I_Result seen) {
      seen.r1 = guarded;
    }
  }

  /** An attempt either fails or sees all that the owner wrote in a critical section. */
  @JCStressTest
  @Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "not got")
  @Outcome(id = "true, 0", expect = Expect.ACCEPTABLE, desc = "got first")
  @Outcome(id = "true, 2", expect = Expect.ACCEPTABLE, desc = "got between")
  @Outcome(id = "true, 4", expect = Expect.ACCEPTABLE, desc = "got between")
  @Outcome(id = "true, 6", expect = Expect.ACCEPTABLE, desc = "got last")
  @State
  public static class OwnerAgainstAttempt extends Guarded {
    int first;
    int second;

    @Actor
    public void owner() {
      for (int i = 0; i < 3; i++) {
        lock.tryLock(Long.MAX_VALUE);
        first++;
        second++;
        lock.unlock();
      }
    }

    @Actor
    public void other(ZI_Result seen) {
      seen.r1 = lock.tryTakeOver();
      if (seen.r1) {
        seen.r2 = first + second;
        lock.unlock();
      }
    }
  }
}
