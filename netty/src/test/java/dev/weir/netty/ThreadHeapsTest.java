package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which threads have heaps of their own, and how their idle memory comes back. */
class ThreadHeapsTest {
  private final WeirAllocator allocator = WeirAllocator.withLimit(64L << 20);
  private final Pool pool = allocator.pool();

  @AfterEach
  void close() {
    assertThat(pool.liveBlockBytes()).isZero();
    pool.checkInvariants();
    allocator.close();
  }

  @Test
  void aThreadOfNettyHasOneAndHandsItOverAtItsEnd() throws Exception {
    int[] heapsMeanwhile = new int[1];
    run(
        new FastThreadLocalThread(() -> {
          allocateAndRelease();
          allocateAndRelease();
          heapsMeanwhile[0] = pool.snapshot().ownedHeaps();
        }));
    assertThat(heapsMeanwhile[0]).isEqualTo(1);
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
  }

  @Test
  void otherThreadsShare() throws Exception {
    run(new Thread(this::allocateAndRelease));
    run(Thread.ofVirtual().unstarted(this::allocateAndRelease));
    assertThat(pool.snapshot().ownedHeaps()).isZero();
  }

  @Test
  void aThreadThatWillNotCleanUpShares() throws Exception {
    run(
        new FastThreadLocalThread() {
          @Override
          public void run() {
            allocateAndRelease();
          }
        });
    assertThat(pool.snapshot().ownedHeaps()).isZero();
  }

  @Test
  void anIdleEventLoopGivesItsMemoryBackWhenAsked() throws Exception {
    DefaultEventLoop loop = new DefaultEventLoop();
    try {
      loop.submit(this::allocateAndRelease).sync();
      assertThat(pool.residentBytes()).isPositive();
      pool.trim(); // Posts the request to the loop.
      loop.submit(() -> {}).sync();
      pool.trim();
      assertThat(pool.residentBytes()).isZero();
      loop.submit(this::allocateAndRelease).sync();
    } finally {
      loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  private void allocateAndRelease() {
    allocator.directBuffer(1_000).writeLong(1).release();
  }

  private static void run(Thread thread) throws InterruptedException {
    thread.start();
    thread.join();
  }
}
