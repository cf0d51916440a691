package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.heap.OwnedHeap;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Threads come to be known to one allocator: none ever sees the heap of another. */
public final class KnownHeapsRaces {
  private static final Pool POOL = Pool.create(PoolOptions.withLimit(64L << 20));
  private static final ThreadHeaps HEAPS = new ThreadHeaps(POOL);
  private static final OwnedHeap FIRST = POOL.ownedHeap(Runnable::run);
  private static final OwnedHeap SECOND = POOL.ownedHeap(Runnable::run);

  private KnownHeapsRaces() {}

  private static final class Known extends KnownHeaps {
    Known() {
      super(HEAPS, /* preferDirect= */ true);
    }

    /** Remembers a heap as the caller's, and says which one it is told of next. */
    String see(OwnedHeap own) {
      heapAnew(own);
      @Nullable OwnedHeap seen = heap();
      return seen == null ? "none" : seen == own ? "own" : "another's";
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      throw new UnsupportedOperationException("not asked for");
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      throw new UnsupportedOperationException("not asked for");
    }

    @Override
    public boolean isDirectBufferPooled() {
      return true;
    }
  }

  /** Both find the same place free: one takes it, the other the next one. */
  @JCStressTest
  @Outcome(id = "own, own", expect = Expect.ACCEPTABLE)
  @State
  public static class TwoNewcomers {
    private final Known known = new Known();

    @Actor
    public void first(LL_Result seen) {
      seen.r1 = known.see(FIRST);
    }

    @Actor
    public void second(LL_Result seen) {
      seen.r2 = known.see(SECOND);
    }
  }
}
