package dev.weir.compression.context;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * Contexts are put down, taken and destroyed at once: each is with one of them at a time, is
 * destroyed once, by whoever has it, and none is left behind in a pool that was closed.
 */
public final class ContextPoolRaces {
  private ContextPoolRaces() {}

  private static final int BYTES = 1_000;

  /** Shelves are emptied in the order of the kinds. */
  private static final Integer KIND = 2;

  private static final Integer KIND_BEFORE = 1;

  /** Remembers what must not become of it. */
  private static class Counted implements Context {
    private final AtomicInteger users = new AtomicInteger();
    private final AtomicInteger destructions = new AtomicInteger();
    private volatile boolean misused;

    @Override
    public long bytes() {
      return BYTES;
    }

    @Override
    public void destroy() {
      if (destructions.incrementAndGet() != 1 || users.get() != 0) {
        misused = true;
      }
    }

    final void use() {
      if (users.incrementAndGet() != 1 || destructions.get() != 0) {
        misused = true;
      }
      users.decrementAndGet();
    }

    final String fate() {
      int times = destructions.get();
      String end = times == 0 ? "whole" : times == 1 ? "destroyed" : "destroyed again";
      return misused ? end + " and misused" : end;
    }
  }

  /** One whose library fails at its end. */
  private static final class Failing extends Counted {
    @Override
    public void destroy() {
      super.destroy();
      throw new IllegalStateException("made to fail");
    }
  }

  /** A pool that makes nothing. */
  private abstract static class Contexts {
    final ContextPool<Integer, Counted> pool;
    final Counted context = new Counted();

    Contexts(int places) {
      pool = new ContextPool<>((long) places * BYTES, kind -> null);
    }

    final void putDown() {
      context.use();
      pool.giveBack(KIND, context);
    }

    /** Null if there is none, or the pool was closed before. */
    final @Nullable Counted take() {
      try {
        Counted taken = pool.tryTake(KIND);
        if (taken != null) {
          taken.use();
        }
        return taken;
      } catch (IllegalStateException closed) {
        return null;
      }
    }

    final void takeAndPutDown() {
      Counted taken = take();
      if (taken != null) {
        pool.giveBack(KIND, taken);
      }
    }

    /** What has become of the context, and what is counted. */
    final String outcome() {
      return context.fate() + " " + pool.idleBytes();
    }
  }

  /** One is put down as the pool closes. */
  @JCStressTest
  @Outcome(id = "destroyed 0", expect = Expect.ACCEPTABLE)
  @State
  public static class PutDownAgainstClose extends Contexts {
    public PutDownAgainstClose() {
      super(1);
    }

    @Actor
    public void putsDown() {
      putDown();
    }

    @Actor
    public void closes() {
      pool.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = outcome();
    }
  }

  /** The same, where two that rest before it cannot be destroyed: whoever tries has a failure. */
  @JCStressTest
  @Outcome(id = "destroyed 0", expect = Expect.ACCEPTABLE)
  @State
  public static class PutDownAgainstFailingClose extends Contexts {
    public PutDownAgainstFailingClose() {
      super(3);
      pool.giveBack(KIND_BEFORE, new Failing());
      pool.giveBack(KIND_BEFORE, new Failing());
    }

    @Actor
    public void putsDown() {
      try {
        putDown();
      } catch (IllegalStateException failure) {
        // Another context's: what has become of this one is seen afterwards.
      }
    }

    @Actor
    public void closes() {
      try {
        pool.close();
      } catch (IllegalStateException failure) {
        // One that cannot be destroyed has left the pool all the same.
      }
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      closes();
      pool.close();
      seen.r1 = outcome();
    }
  }

  /** One that rests is taken as the pool closes, and put down again. */
  @JCStressTest
  @Outcome(id = "destroyed 0", expect = Expect.ACCEPTABLE)
  @State
  public static class TakeAgainstClose extends Contexts {
    public TakeAgainstClose() {
      super(1);
      pool.giveBack(KIND, context);
    }

    @Actor
    public void takes() {
      takeAndPutDown();
    }

    @Actor
    public void closes() {
      pool.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = outcome();
    }
  }

  /** One is put down as the pool closes, and somebody takes it, late, and puts it down again. */
  @JCStressTest
  @Outcome(id = "destroyed 0", expect = Expect.ACCEPTABLE)
  @State
  public static class PutDownAgainstTakeAndClose extends Contexts {
    public PutDownAgainstTakeAndClose() {
      super(2);
    }

    @Actor
    public void putsDown() {
      putDown();
    }

    @Actor
    public void takes() {
      takeAndPutDown();
    }

    @Actor
    public void closes() {
      pool.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = outcome();
    }
  }

  /** Two want the one that rests. */
  @JCStressTest
  @Outcome(
      id = {"first, whole 0", "second, whole 0"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class TakeAgainstTake extends Contexts {
    private @Nullable Counted first;
    private @Nullable Counted second;

    public TakeAgainstTake() {
      super(1);
      pool.giveBack(KIND, context);
    }

    @Actor
    public void takes() {
      first = take();
    }

    @Actor
    public void takesToo() {
      second = take();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String whose = first == null ? "" : "first, ";
      seen.r1 = whose + (second == null ? "" : "second, ") + outcome();
    }
  }

  /** Two are put down where there is room for one. */
  @JCStressTest
  @Outcome(
      id = {"whole, destroyed 1000", "destroyed, whole 1000"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class PutDownAgainstPutDown extends Contexts {
    private final Counted other = new Counted();

    public PutDownAgainstPutDown() {
      super(1);
    }

    @Actor
    public void putsDown() {
      putDown();
    }

    @Actor
    public void putsDownToo() {
      pool.giveBack(KIND, other);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = context.fate() + ", " + other.fate() + " " + pool.idleBytes();
    }
  }

  /** One that rests is taken as a reclaimer wants all of them. */
  @JCStressTest
  @Outcome(
      id = {"taken, 0 freed, whole 0", "1000 freed, destroyed 0"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class TakeAgainstReclaim extends Contexts {
    private @Nullable Counted taken;
    private long freedBytes;

    public TakeAgainstReclaim() {
      super(1);
      pool.giveBack(KIND, context);
    }

    @Actor
    public void takes() {
      taken = take();
    }

    @Actor
    public void reclaims() {
      freedBytes = pool.destroyIdle(Long.MAX_VALUE);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = (taken == null ? "" : "taken, ") + freedBytes + " freed, " + outcome();
    }
  }
}
