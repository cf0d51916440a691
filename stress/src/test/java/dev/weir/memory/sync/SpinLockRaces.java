package dev.weir.memory.sync;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The lock that all layers share. */
public final class SpinLockRaces {
  private SpinLockRaces() {}

  /** One at a time, and each sees what the last one wrote. */
  @JCStressTest
  @Outcome(id = "2", expect = Expect.ACCEPTABLE)
  @State
  public static class LockAgainstLock {
    private final SpinLock lock = new SpinLock();
    private int guarded;

    private void increment() {
      lock.lock();
      guarded++;
      lock.unlock();
    }

    @Actor
    public void first() {
      increment();
    }

    @Actor
    public void second() {
      increment();
    }

    @Arbiter
    public void afterwards(I_Result seen) {
      seen.r1 = guarded;
    }
  }

  /** Whoever gets the lock by an attempt sees everything that the last holder wrote. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not got, or got first")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "got after the other")
  @State
  public static class AttemptAgainstUnlock {
    private final SpinLock lock = new SpinLock();
    private int first;
    private int second;

    @Actor
    public void holder() {
      lock.lock();
      first = 1;
      second = 1;
      lock.unlock();
    }

    @Actor
    public void attempt(II_Result seen) {
      if (lock.tryLock()) {
        seen.r1 = first;
        seen.r2 = second;
        lock.unlock();
      }
    }
  }
}
