package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.TouchedPages;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A pool and the threads that use it, which together never ask for more than its bound promises:
 * the pages that live blocks lie on are counted, and what requests may need that are under way. So
 * no request may be refused, whatever the others are in the middle of. Any thread.
 */
final class BoundSession {
  private final FakeNativeMemory os = new FakeNativeMemory();
  private final Pool pool;
  private final TouchedPages touched = new TouchedPages();
  private long underWayBytes;
  private long beyond;

  BoundSession(long limitBytes, Duration decay) {
    pool = Pool.create(PoolOptions.withLimit(limitBytes).withDecay(decay).withNativeMemory(os));
  }

  /** A block, and where it lies: that is counted until after it is released. */
  record Held(Block block, long address, long bytes) {}

  Pool pool() {
    return pool;
  }

  /**
   * Asks for a block, and fails if it is refused.
   *
   * @param heap of the calling thread; null for the stripes
   * @return null where the request would be beyond the bound: nobody is asked
   */
  @Nullable Held tryHold(@Nullable OwnedHeap heap, long bytes) {
    long needed = TouchedPages.neededBytes(bytes);
    synchronized (touched) {
      if (touched.bytes() + underWayBytes + needed > boundBytes()) {
        beyond++;
        return null;
      }
      underWayBytes += needed;
    }
    return hold(heap, bytes, needed);
  }

  /** Asks for a run of all that the bound leaves at this moment. */
  @Nullable Held tryHoldTheRest() {
    long bytes;
    synchronized (touched) {
      bytes = boundBytes() - touched.bytes() - underWayBytes;
      if (TouchedPages.neededBytes(bytes) > bytes) {
        return null;
      }
      underWayBytes += bytes;
    }
    return hold(/* heap= */ null, bytes, bytes);
  }

  private Held hold(@Nullable OwnedHeap heap, long bytes, long needed) {
    Block block =
        heap == null
            ? pool.tryAllocate(bytes)
            : pool.support().tryAllocateBlock(heap, bytes, pool.rootBudget());
    synchronized (touched) {
      underWayBytes -= needed;
      assertThat(block)
          .as(() ->
              "%,d bytes are refused, live blocks touch %,d, others ask for %,d, the bound is %,d%n%s"
                  .formatted(bytes, touched.bytes(), underWayBytes, boundBytes(), pool.snapshot()))
          .isNotNull();
      touched.add(block);
    }
    return new Held(block, block.address(), block.size());
  }

  void release(Held held) {
    held.block.release();
    synchronized (touched) {
      touched.remove(held.address, held.bytes);
    }
  }

  /** What live blocks and requests may need together. */
  long boundBytes() {
    return pool.limitBytes() - pool.slackBytes();
  }

  /** The pages that live blocks lie on. */
  long touchedBytes() {
    synchronized (touched) {
      return touched.bytes();
    }
  }

  /** How often a thread found that its request would be beyond the bound. */
  long beyond() {
    synchronized (touched) {
      return beyond;
    }
  }

  /** Every block has been released: everything is given back. */
  void end() {
    end(pool, os);
  }

  /** The same, of a pool that was used without a session. */
  static void end(Pool pool, FakeNativeMemory os) {
    assertThat(pool.liveBlockBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    assertThat(os.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
    assertThat(os.reservations()).isZero();
  }
}
