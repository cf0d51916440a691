package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Patterns;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that are not the program's own: the finalizer's, a cleaner's, those of shutdown hooks.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AtTheEdgeOfTheProcessTest {
  private static final int OBJECTS = 40;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(8 << 20).withDecay(Duration.ofMillis(20)));
  private final AtomicInteger gone = new AtomicInteger();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  /** Takes blocks of every kind, past the limit, uses them and gives them back. */
  static void useAll(Pool pool) {
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    Block kept = pool.support().tryAllocateBlock(heap, 1_000, pool.rootBudget());
    while (kept == null) {
      // Others who do the same have filled the pool, and are about to release.
      Thread.yield();
      kept = pool.support().tryAllocateBlock(heap, 1_000, pool.rootBudget());
    }
    Patterns.fill(kept, 1);
    Queue<Block> blocks = new ConcurrentLinkedQueue<>();
    for (int bytes : new int[] {500_000, 65_536, 3_000}) {
      for (Block block = pool.tryAllocate(bytes); block != null; block = pool.tryAllocate(bytes)) {
        block.segment().fill((byte) 1);
        blocks.add(block);
      }
    }
    blocks.forEach(Block::release);
    Patterns.verify(kept, 1);
    kept.release();
    heap.close();
  }

  private void useInOne() {
    try {
      useAll(pool);
    } catch (Throwable e) {
      failures.add(e);
    } finally {
      gone.incrementAndGet();
    }
  }

  private void everyOneIsGone() {
    Await.until(
        () -> {
          System.gc();
          return gone.get() == OBJECTS;
        },
        () -> gone + " of " + OBJECTS);
    assertThat(failures).isEmpty();
    Await.until(() -> pool.residentBytes() == 0, () -> pool.snapshot().toString());
    Await.until(() -> pool.snapshot().ownedHeaps() == 0, () -> pool.snapshot().toString());
    pool.checkInvariants();
    pool.close();
  }

  /** Allocates when it is finalized, and releases what somebody else has allocated. */
  private static final class Finalized {
    private final AtTheEdgeOfTheProcessTest test;
    private final Block block;

    Finalized(AtTheEdgeOfTheProcessTest test) {
      this.test = test;
      this.block = test.pool.allocate(1_000);
    }

    @Override
    @SuppressWarnings({"removal", "Finalize"}) // what is tested
    protected void finalize() {
      block.release();
      test.useInOne();
    }
  }

  @Test
  void allocationFromFinalizers() {
    for (int i = 0; i < OBJECTS; i++) {
      new Finalized(this);
    }
    everyOneIsGone();
  }

  @Test
  void allocationFromCleaners() {
    Cleaner cleaner = Cleaner.create();
    for (int i = 0; i < OBJECTS; i++) {
      Block block = pool.allocate(1_000);
      cleaner.register(
          new Object(),
          () -> {
            block.release();
            useInOne();
          });
    }
    everyOneIsGone();
  }

  @Test
  void allocationFromShutdownHooks() throws Exception {
    Process process = launch();
    String output = new String(process.getInputStream().readAllBytes());

    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output)
        .contains("main has ended")
        .contains("a pool in use serves")
        .contains("a pool that comes to life serves")
        .contains("a closed pool refuses")
        .doesNotContain("Exception")
        .doesNotContain("Error");
  }

  private static Process launch() throws IOException {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Hooked.class.getName()))
        .redirectErrorStream(true)
        .start();
  }

  /** The program of the process that is shut down: its hooks run at once, and race. */
  static final class Hooked {
    private Hooked() {}

    public static void main(String[] arguments) {
      Pool used = Pool.create(PoolOptions.withLimit(4 << 20));
      Block block = used.allocate(100_000);
      Patterns.fill(block, 7);
      Pool closed = Pool.create(PoolOptions.withLimit(4 << 20));
      Block outlives = closed.allocate(100);
      closed.close();
      Pool unused = Pool.create(PoolOptions.withLimit(4 << 20));
      for (int i = 0; i < 4; i++) {
        hook("a pool in use serves", () -> useAll(used));
      }
      hook("a pool that comes to life serves", () -> useAll(unused));
      hook(
          "a closed pool refuses",
          () -> {
            try {
              closed.allocate(1);
            } catch (IllegalStateException expected) {
              Patterns.verify(block, 7);
              block.release();
              outlives.release();
              return;
            }
            throw new AssertionError("a closed pool allocates");
          });
      System.out.println("main has ended");
    }

    private static void hook(String what, Runnable work) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(() -> {
                work.run();
                System.out.println(what);
              }));
    }
  }
}
