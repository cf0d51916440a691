package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads of every sort come and go by the thousand, event loops by the hundred; what they
 * allocated is released by others, of any sort, or after all of them have ended.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ManyThreadsTest {
  private static final int THREADS = 10_000;
  private static final int AT_A_TIME = 100;
  private static final int LOOPS = 200;
  private static final long LIMIT_BYTES = 64 << 20;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofMillis(20)));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final Queue<ByteBuf> left = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  @Test
  void nothingOfThemStays() throws Exception {
    ThreadFactory[] sorts = {
      new DefaultThreadFactory("owner"), Thread::new, Thread.ofVirtual().factory()
    };
    for (int i = 0; i < THREADS; i += AT_A_TIME) {
      List<Thread> threads = new ArrayList<>();
      for (int n = i; n < i + AT_A_TIME; n++) {
        int seed = n;
        threads.add(sorts[n % sorts.length].newThread(() -> live(seed)));
      }
      List<DefaultEventLoop> loops = loopsOf(LOOPS * AT_A_TIME / THREADS, i);
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      for (DefaultEventLoop loop : loops) {
        loop.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        assertThat(loop.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
      }
      assertThat(pool.snapshot().ownedHeaps()).isLessThan(5 * AT_A_TIME);
    }
    assertThat(failures).isEmpty();
    assertThat(left).isNotEmpty();
    left.forEach(ManyThreadsTest::open);

    assertThat(pool.liveBlockBytes()).isZero();
    awaitNothingResident();
    pool.checkInvariants();
    allocator.close();
    pool.close();
  }

  private void awaitNothingResident() {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (pool.residentBytes() > 0 || pool.snapshot().ownedHeaps() > 0) {
      assertThat(System.nanoTime()).as("%s", pool.snapshot()).isLessThan(deadlineNanos);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private List<DefaultEventLoop> loopsOf(int count, int seed) {
    List<DefaultEventLoop> loops = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      DefaultEventLoop loop = new DefaultEventLoop();
      int loopSeed = -seed - i;
      loop.execute(() -> live(loopSeed));
      loops.add(loop);
    }
    return loops;
  }

  private void live(int seed) {
    try {
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 0; i < 8; i++) {
        int bytes = Long.BYTES + 1 + random.nextInt(1 << random.nextInt(1, 17));
        ByteBuf buffer = allocator.directBuffer(bytes);
        buffer.writeLong(buffer.memoryAddress()).setByte(bytes - 1, 7);
        left.add(buffer);
        if (left.size() > 2 * AT_A_TIME) {
          ByteBuf other = left.poll();
          if (other != null) {
            open(other);
          }
        }
      }
    } catch (Throwable e) {
      failures.add(e);
    }
  }

  private static void open(ByteBuf buffer) {
    if (buffer.getLong(0) != buffer.memoryAddress()) {
      throw new AssertionError(buffer + " holds " + buffer.getLong(0));
    }
    if (!buffer.release()) {
      throw new AssertionError(buffer + " has another holder");
    }
  }
}
