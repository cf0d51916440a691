package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * Threads share a buffer by its reference count: the block is released once, by the last of them.
 */
public final class ReferenceCountRaces {
  private static final Pool POOL = Pool.create(PoolOptions.withLimit(4L << 30));
  private static final WeirAllocator ALLOCATOR = new WeirAllocator(POOL);

  private ReferenceCountRaces() {}

  /** A buffer that is never used again, and a budget that is charged for it alone. */
  private abstract static class OneBuffer {
    private final Budget budget = POOL.rootBudget().child("buffer", Budget.UNLIMITED);
    final ByteBuf buffer = ALLOCATOR.wrap(POOL.allocate(16, budget), 16, 16);

    String release() {
      try {
        return buffer.release() ? "last" : "released";
      } catch (IllegalReferenceCountException e) {
        return "refused";
      }
    }

    String retain() {
      try {
        buffer.retain();
        return "retained";
      } catch (IllegalReferenceCountException e) {
        return "refused";
      }
    }

    /** The count, and whether the block is still charged; releases what is left. */
    String state() {
      int count = buffer.refCnt();
      String state = count + (budget.chargedBytes() == 0 ? " free" : " live");
      if (count > 0) {
        buffer.release(count);
      }
      long left = budget.chargedBytes();
      budget.close();
      return left == 0 ? state : left + " B charged in the end";
    }
  }

  /** One release too many: one of them is refused, the block is released once. */
  @JCStressTest
  @Outcome(
      id = {"last, refused, 0 free", "refused, last, 0 free"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class ReleaseAgainstRelease extends OneBuffer {
    @Actor
    public void first(LLL_Result seen) {
      seen.r1 = release();
    }

    @Actor
    public void second(LLL_Result seen) {
      seen.r2 = release();
    }

    @Arbiter
    public void afterwards(LLL_Result seen) {
      seen.r3 = state();
    }
  }

  /** Two holders let go: exactly one of them is the last. */
  @JCStressTest
  @Outcome(
      id = {"last, released, 0 free", "released, last, 0 free"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class ReleaseOfTwoHolders extends OneBuffer {
    public ReleaseOfTwoHolders() {
      buffer.retain();
    }

    @Actor
    public void first(LLL_Result seen) {
      seen.r1 = release();
    }

    @Actor
    public void second(LLL_Result seen) {
      seen.r2 = release();
    }

    @Arbiter
    public void afterwards(LLL_Result seen) {
      seen.r3 = state();
    }
  }

  /** The last holder lets go while another wants to hold on: no dead buffer is retained. */
  @JCStressTest
  @Outcome(id = "retained, released, 1 live", expect = Expect.ACCEPTABLE)
  @Outcome(id = "refused, last, 0 free", expect = Expect.ACCEPTABLE)
  @State
  public static class RetainAgainstRelease extends OneBuffer {
    @Actor
    public void retain(LLL_Result seen) {
      seen.r1 = retain();
    }

    @Actor
    public void release(LLL_Result seen) {
      seen.r2 = release();
    }

    @Arbiter
    public void afterwards(LLL_Result seen) {
      seen.r3 = state();
    }
  }

  /** What a holder wrote is there for the other, who finds that nobody else holds the buffer. */
  @JCStressTest
  @Outcome(
      id = {"last, released, 0 free", "released, last, 0 free"},
      expect = Expect.ACCEPTABLE)
  @Outcome(
      id = {"2 was written: last, released, 0 free", "released, 1 was written: last, 0 free"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class SliceAgainstItsParent extends OneBuffer {
    private final ByteBuf slice = buffer.setLong(0, 0).retainedSlice(0, 8);

    @Actor
    public void parent(LLL_Result seen) {
      buffer.setByte(0, 1);
      seen.r1 = whatIsFound(buffer, 1) + release();
    }

    @Actor
    public void slice(LLL_Result seen) {
      slice.setByte(1, 2);
      seen.r2 = whatIsFound(slice, 0) + (slice.release() ? "last" : "released");
    }

    private static String whatIsFound(ByteBuf held, int index) {
      return held.refCnt() == 1 ? held.getByte(index) + " was written: " : "";
    }

    @Arbiter
    public void afterwards(LLL_Result seen) {
      seen.r3 = state();
    }
  }
}
