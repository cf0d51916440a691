package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
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
  void anEventLoopHasOneAndHandsItOverAtItsEnd() throws Exception {
    DefaultEventLoop loop = new DefaultEventLoop();
    try {
      loop.submit(this::allocateAndRelease).sync();
      loop.submit(this::allocateAndRelease).sync();
      assertThat(pool.snapshot().ownedHeaps()).isEqualTo(1);
    } finally {
      loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    assertThat(pool.snapshot().ownedHeaps()).isZero();
  }

  /** A thread that no task can be posted to could not be asked for what others have released. */
  @Test
  void anIdleWorkerKeepsNothingThatOthersReleased() throws Exception {
    ExecutorService worker =
        Executors.newSingleThreadExecutor(new DefaultThreadFactory("worker", /* daemon= */ true));
    try {
      List<ByteBuf> buffers = worker.submit(() -> allocate(200)).get();
      run(new Thread(() -> buffers.forEach(ByteBuf::release)));
      pool.trim();
      assertThat(pool.residentBytes()).isZero();
      assertThat(pool.snapshot().ownedHeaps()).isZero();
    } finally {
      worker.shutdownNow();
    }
  }

  @Test
  void aThreadThatBecomesAnEventLoopsHasOneFromThenOn() throws Exception {
    ExecutorService thread =
        Executors.newSingleThreadExecutor(new DefaultThreadFactory("thread", /* daemon= */ true));
    try {
      thread.submit(this::allocateAndRelease).get();
      assertThat(pool.snapshot().ownedHeaps()).isZero();
      DefaultEventLoop loop = new DefaultEventLoop(thread);
      loop.submit(this::allocateAndRelease).sync();
      loop.submit(this::allocateAndRelease).sync();
      assertThat(pool.snapshot().ownedHeaps()).isEqualTo(1);
      loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
      thread.submit(this::allocateAndRelease).get();
      pool.trim(); // Forgets the heap that was closed.
      assertThat(pool.snapshot().ownedHeaps()).isZero();
    } finally {
      thread.shutdownNow();
    }
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

  @Test
  void anEventLoopThatHasClosedItsHeapMakesAnother() throws Exception {
    DefaultEventLoop loop = new DefaultEventLoop();
    WeirAllocator another = new WeirAllocator(pool);
    Runnable use = () -> another.directBuffer(1_000).writeLong(1).release();
    try {
      loop.submit(use).sync();
      loop.submit(another::close).sync(); // The pool is not its own, and stays open.
      pool.trim(); // Forgets the heap that was closed.
      assertThat(pool.snapshot().ownedHeaps()).isZero();
      loop.submit(use).sync();
      assertThat(pool.snapshot().ownedHeaps()).isEqualTo(1);
    } finally {
      loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  /** More of them than an allocator remembers, and some in the places of others that have ended. */
  @Test
  void manyEventLoopsAtOnceEachHaveTheirOwn() throws Exception {
    List<DefaultEventLoop> loops = new ArrayList<>();
    Budget budget = pool.rootBudget().child("view", Budget.UNLIMITED);
    ByteBufAllocator view = allocator.charging(budget);
    try {
      for (int round = 0; round < 3; round++) {
        while (loops.size() < 7) {
          loops.add(new DefaultEventLoop());
        }
        List<Future<?>> uses = new ArrayList<>();
        for (DefaultEventLoop loop : loops) {
          uses.add(loop.submit(() -> useFor(allocator, 5_000, loop.hashCode())));
          uses.add(loop.submit(() -> useFor(view, 5_000, loop.hashCode())));
        }
        for (Future<?> use : uses) {
          use.sync();
        }
        assertThat(pool.snapshot().ownedHeaps()).isEqualTo(loops.size());
        for (int i = 0; i < 2; i++) {
          loops.remove(i).shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
        pool.trim(); // Forgets the heaps that were closed.
        assertThat(pool.snapshot().ownedHeaps()).isEqualTo(loops.size());
      }
    } finally {
      for (DefaultEventLoop loop : loops) {
        loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
      }
    }
  }

  /** More of them than an allocator remembers, each with a stripe that may lean towards it. */
  @Test
  void manyPlainThreadsAtOnceShareStripes() throws Exception {
    for (int round = 0; round < 2; round++) {
      List<FutureTask<?>> uses = new ArrayList<>();
      for (int mark = 0; mark < 5; mark++) {
        int ownMark = mark;
        FutureTask<?> use = new FutureTask<>(() -> useFor(allocator, 20_000, ownMark), null);
        uses.add(use);
        new Thread(use).start();
      }
      for (FutureTask<?> use : uses) {
        use.get();
      }
      assertThat(pool.snapshot().ownedHeaps()).isZero();
    }
  }

  /** Wherever a slot lies ready. */
  @Test
  void noBytesAreABufferToo() throws Exception {
    DefaultEventLoop loop = new DefaultEventLoop();
    try {
      loop.submit(this::allocateNothing).sync();
    } finally {
      loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
    FutureTask<?> plain = new FutureTask<>(this::allocateNothing, null);
    run(new Thread(plain));
    plain.get();
  }

  private void allocateNothing() {
    for (int i = 0; i < 2_000; i++) {
      allocator.directBuffer(8).release();
    }
    for (ByteBuf buffer :
        List.of(allocator.directBuffer(0), allocator.buffer(0, 10), allocator.ioBuffer(0))) {
      assertThat(buffer.capacity()).isZero();
      buffer.writeLong(1).release();
    }
    ByteBuf empty = allocator.directBuffer(8);
    assertThat(empty.copy().release()).isTrue();
    empty.release();
  }

  /** What lies ready there is charged to nobody. */
  @Test
  void aPlainThreadWhoseStripeLeansPaysAsAllOthers() throws Exception {
    FutureTask<Void> use =
        new FutureTask<>(() -> {
          do { // The purger may have taken the stripe over.
            for (int i = 0; i < 2_000; i++) {
              allocator.directBuffer(100).release();
            }
          } while (AllocatorSupport.of(pool).leaningStripe() == null);
          Budget budget = pool.rootBudget().child("object", 1 << 20);
          ByteBuf charged = allocator.charging(budget).directBuffer(100);
          assertThat(budget.chargedBytes()).isPositive();
          charged.release();
          assertThat(budget.chargedBytes()).isZero();
          budget.close();
          return null;
        });
    run(new Thread(use));
    use.get();
  }

  /** Also where a slot lies ready in a stripe that leans towards the thread. */
  @Test
  void aPlainThreadGetsNothingFromAClosedPool() throws Exception {
    FutureTask<Void> use =
        new FutureTask<>(() -> {
          Pool closing = Pool.create(PoolOptions.withLimit(8L << 20));
          WeirAllocator over = new WeirAllocator(closing);
          ByteBuf live = over.directBuffer(1_000);
          for (int i = 0; i < 2_000; i++) {
            over.directBuffer(1_000).writeLong(i).release();
          }
          closing.close();
          assertThatIllegalStateException()
              .isThrownBy(() -> over.directBuffer(1_000))
              .withMessageContaining("closed");
          live.release();
          assertThat(closing.liveBlockBytes()).isZero();
          return null;
        });
    run(new Thread(use));
    use.get();
  }

  /** Each buffer has what was written into it for as long as it is live. */
  private static void useFor(ByteBufAllocator from, int steps, int mark) {
    ByteBuf[] live = new ByteBuf[64];
    for (int step = 0; step < steps; step++) {
      int place = step % live.length;
      if (live[place] != null) {
        assertThat(live[place].getLong(0)).isEqualTo((long) mark << 32 | step - live.length);
        live[place].release();
      }
      live[place] = from.directBuffer(16 + step % 500).writeLong((long) mark << 32 | step);
    }
    for (ByteBuf buffer : live) {
      buffer.release();
    }
  }

  private List<ByteBuf> allocate(int count) {
    List<ByteBuf> buffers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      buffers.add(allocator.directBuffer(60_000));
    }
    return buffers;
  }

  private void allocateAndRelease() {
    allocator.directBuffer(1_000).writeLong(1).release();
  }

  private static void run(Thread thread) throws InterruptedException {
    thread.start();
    thread.join();
  }
}
