package dev.weir.netty.write;

import dev.weir.netty.write.Waiters.Place;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Some come to wait for a gate, or go, as it opens: none waits on, none is woken twice. */
public final class WaitersRaces {
  private WaitersRaces() {}

  /** Who may wait, and how often it was woken. */
  private static final class Waiter {
    final Place<Waiter> place = new Place<>(this);
    final AtomicInteger wakes = new AtomicInteger();

    void wake() {
      wakes.incrementAndGet();
    }
  }

  /** A gate that is closed. */
  private abstract static class Gate {
    final Waiters<Waiter> waiters = new Waiters<>();
    final Waiter first = new Waiter();
    final Waiter second = new Waiter();
    final Waiter third = new Waiter();
    private volatile boolean closed = true;

    /** Looks once it has entered: whoever takes it out wakes it. */
    void await(Waiter waiter) {
      waiters.add(waiter.place);
      if (!closed && waiters.remove(waiter.place)) {
        waiter.wake();
      }
    }

    void open() {
      closed = false;
      waiters.wakeAll(Waiter::wake);
    }

    /** How often each was woken: one that the list has lost is not. */
    String wakes() {
      return first.wakes + "" + second.wakes + third.wakes;
    }
  }

  /** One waits already, another comes. */
  @JCStressTest
  @Outcome(id = "110", expect = Expect.ACCEPTABLE)
  @State
  public static class WaitAgainstOpen extends Gate {
    public WaitAgainstOpen() {
      await(first);
    }

    @Actor
    public void comes() {
      await(second);
    }

    @Actor
    public void opens() {
      open();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = wakes();
    }
  }

  /** Two come at once; a third comes behind them. */
  @JCStressTest
  @Outcome(id = "111", expect = Expect.ACCEPTABLE)
  @State
  public static class WaitAgainstWait extends Gate {
    @Actor
    public void comes() {
      await(first);
    }

    @Actor
    public void comesToo() {
      await(second);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      await(third);
      open();
      seen.r1 = wakes();
    }
  }

  /** One that came goes for good, from between two others, as the gate opens. */
  @JCStressTest
  @Outcome(
      id = {"gone 101", "woken 111"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class GoAgainstOpen extends Gate {
    private boolean gone;

    public GoAgainstOpen() {
      await(first);
      await(second);
      await(third);
    }

    @Actor
    public void goes() {
      gone = waiters.remove(second.place);
    }

    @Actor
    public void opens() {
      open();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = (gone ? "gone " : "woken ") + wakes();
    }
  }

  /** Two neighbours go at once; the third is left. */
  @JCStressTest
  @Outcome(id = "001", expect = Expect.ACCEPTABLE)
  @State
  public static class GoAgainstGo extends Gate {
    public GoAgainstGo() {
      await(first);
      await(second);
      await(third);
    }

    @Actor
    public void goes() {
      waiters.remove(first.place);
    }

    @Actor
    public void goesToo() {
      waiters.remove(second.place);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      open();
      seen.r1 = wakes();
    }
  }

  /** The gate opens twice. */
  @JCStressTest
  @Outcome(id = "111", expect = Expect.ACCEPTABLE)
  @State
  public static class OpenAgainstOpen extends Gate {
    public OpenAgainstOpen() {
      await(first);
      await(second);
      await(third);
    }

    @Actor
    public void opens() {
      open();
    }

    @Actor
    public void opensToo() {
      open();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = wakes();
    }
  }
}
