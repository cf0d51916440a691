package dev.weir.netty.buffer;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.netty.WeirAllocator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Threads come to have places in one allocator and leave them: none sees the heap of another. */
public final class ThreadPlaceRaces {
  private static final Pool POOL = Pool.create(PoolOptions.withLimit(64L << 20));
  private static final OwnedHeap FIRST = AllocatorSupport.of(POOL).ownedHeap(Runnable::run);
  private static final OwnedHeap SECOND = AllocatorSupport.of(POOL).ownedHeap(Runnable::run);

  private static final int TIMES = 32;

  private ThreadPlaceRaces() {}

  /** Each comes and leaves many times. Where both have one place, one of them finds none. */
  @JCStressTest
  @Outcome(id = "own, own", expect = Expect.ACCEPTABLE)
  @State
  public static class ComersAndGoers {
    private final ThreadKnowingAllocator allocator = new WeirAllocator(POOL);

    @Actor
    public void first(LL_Result seen) {
      seen.r1 = comeOften(FIRST);
    }

    @Actor
    public void second(LL_Result seen) {
      seen.r2 = comeOften(SECOND);
    }

    private String comeOften(OwnedHeap own) {
      for (int i = 0; i < TIMES; i++) {
        String seen = come(own);
        if (!seen.equals("own")) {
          return seen;
        }
        allocator.leavePlace();
      }
      return "own";
    }

    private String come(OwnedHeap own) {
      allocator.takePlace(own);
      OwnedHeap seen = allocator.heap();
      return seen == null || seen == own ? "own" : "another's";
    }
  }
}
