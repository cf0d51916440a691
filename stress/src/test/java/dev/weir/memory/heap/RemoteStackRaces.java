package dev.weir.memory.heap;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IL_Result;
import org.openjdk.jcstress.infra.results.L_Result;

/** The stack of remote frees of a slab that is in use. */
public final class RemoteStackRaces {
  private RemoteStackRaces() {}

  /** What is pushed is drained once, now or later, and in whole pieces. */
  @JCStressTest
  @Outcome(id = "[0-2], rests", expect = Expect.ACCEPTABLE, desc = "drained so far, of two")
  @State
  public static class PushAgainstDrain {
    private final SmallHeap small = new SmallHeap();
    private final Slot a = small.take();
    private final Slot b = small.take();

    @Actor
    public void remote() {
      a.freeRemotely();
      b.freeRemotely();
    }

    @Actor
    public void owner(IL_Result seen) {
      a.slab().drainRemote();
      seen.r1 = 2 - a.slab().liveOpaque();
    }

    @Arbiter
    public void afterwards(IL_Result seen) {
      String found = SmallHeap.lookAfter(small.heap, a.slab(), 0);
      seen.r2 = found.equals("found") ? small.rest() : found;
    }
  }

  /** Two threads free at once: both slots come back. */
  @JCStressTest
  @Outcome(id = "rests", expect = Expect.ACCEPTABLE)
  @State
  public static class PushAgainstPush {
    private final SmallHeap small = new SmallHeap();
    private final Slot a = small.take();
    private final Slot b = small.take();

    @Actor
    public void first() {
      a.freeRemotely();
    }

    @Actor
    public void second() {
      b.freeRemotely();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      String found = SmallHeap.lookAfter(small.heap, a.slab(), 0);
      seen.r1 = found.equals("found") ? small.rest() : found;
    }
  }
}
