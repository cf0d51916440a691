package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.Await;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

/** A segment keeps the addresses behind it, whatever becomes of the pool that it came from. */
class SegmentLifeTest {
  @Test
  void aSegmentOutlivesThePoolThatNobodyRefersTo() {
    Pool pool = Pool.create(PoolOptions.withLimit(4L << 20));
    WeakReference<Pool> gone = new WeakReference<>(pool);
    MemorySegment memory = pool.allocate(1 << 20).segment();
    memory.fill((byte) 7);
    pool = null;

    // The pools' own thread may be at its chores, and holds on to it until they are done.
    Await.until(
        () -> {
          System.gc();
          return gone.get() == null;
        },
        () -> "something refers to the pool still");
    System.gc();

    assertThat(memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1)).isEqualTo((byte) 7);
  }
}
