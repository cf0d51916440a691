package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.SeededRuns;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A Java heap that is full again and again while a pool is in use, in a process of its own. The
 * pool keeps its four promises: locks are free, the purger goes on, no block is handed out twice,
 * figures add up.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class FullJavaHeapTest {
  private static final int FILLINGS = SeededRuns.isLong() ? 100 : 4;

  @Test
  void thePoolSurvivesIt() throws Exception {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:+UseSerialGC",
                    "-Xmx24m",
                    "-Xms24m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Crowded.class.getName(),
                    Integer.toString(FILLINGS)))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes());

    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output).contains("the pool serves");
  }

  /** The process: threads that use a pool, and one that fills the Java heap. */
  static final class Crowded {
    private static final int THREADS = 4;
    private static final int HELD = 1_000;

    private final Pool pool =
        Pool.create(
            PoolOptions.withLimit(32 << 20)
                .withDecay(Duration.ofMillis(10))
                .withProfile(64 << 10)
                .withHardening(Hardening.oneIn(16).withPoison()));
    private final AtomicInteger steps = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean done;
    private volatile @Nullable Object filling;

    private Crowded() {}

    public static void main(String[] arguments) throws Exception {
      new Crowded().run(Integer.parseInt(arguments[0]));
      System.out.println("the pool serves");
      System.exit(0);
    }

    private void run(int fillings) throws InterruptedException {
      useAllClasses();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        threads.add(Thread.ofPlatform().daemon().start(() -> use(number)));
      }
      Await.until(() -> steps.get() > 20_000, () -> "nobody does anything");
      for (int i = 0; i < fillings; i++) {
        fill(new SplittableRandom(i));
        int before = steps.get();
        Await.until(() -> steps.get() > before + 100, this::allStacks);
      }
      done = true;
      for (Thread thread : threads) {
        thread.join(60_000);
        if (thread.isAlive()) {
          throw new AssertionError(allStacks());
        }
      }
      if (failure.get() != null) {
        throw new AssertionError("a thread failed", failure.get());
      }
      purgerGoesOn();
    }

    /** What is loaded for the first time when there is no room is lost for good: that is Java. */
    private void useAllClasses() {
      AtTheEdgeOfTheProcessTest.useAll(pool);
      Block block = pool.allocate(20 << 20);
      try {
        pool.grant(20 << 20, Duration.ZERO).get(1, TimeUnit.MINUTES);
      } catch (Exception expected) {
        if (!(expected.getCause() instanceof TimeoutException)) {
          throw new AssertionError(expected);
        }
      }
      block.release();
      pool.trim();
      System.out.println(pool.snapshot());
    }

    private void use(int number) {
      SplittableRandom random = new SplittableRandom(number);
      @Nullable Block[] held = new Block[HELD];
      OwnedHeap heap = null;
      while (!done) {
        try {
          if (heap == null && number % 2 == 0) {
            heap = pool.support().ownedHeap(task -> {});
          }
          step(random, heap, held);
        } catch (OutOfMemoryError e) {
          // What this is about.
        } catch (Throwable e) {
          failure.compareAndSet(null, e);
        }
      }
      for (Block block : held) {
        if (block != null) {
          block.release();
        }
      }
      if (heap != null) {
        heap.close();
      }
    }

    private void step(SplittableRandom random, @Nullable OwnedHeap heap, @Nullable Block[] held) {
      int index = random.nextInt(HELD);
      Block block = held[index];
      if (block != null) {
        held[index] = null;
        block.release();
      } else if (random.nextInt(16) == 0) {
        held[index] = grown(64 << 10, random.nextInt(64 << 10, 256 << 10));
      } else {
        int bytes = random.nextInt(1 << random.nextInt(4, 18));
        held[index] =
            heap == null
                ? pool.tryAllocate(bytes)
                : pool.support().tryAllocateBlock(heap, bytes, pool.rootBudget());
      }
      if (random.nextInt(5_000) == 0) {
        pool.trim();
      }
      steps.incrementAndGet();
    }

    /** A block in a room of its own, at least so long as the first number. */
    private Block grown(int fromBytes, int toBytes) {
      Block block = pool.allocateGrowing(fromBytes, pool.rootBudget());
      boolean kept = false;
      try {
        block.tryGrow(toBytes);
        kept = true;
        return block;
      } finally {
        if (!kept) {
          block.release();
        }
      }
    }

    private void fill(SplittableRandom random) {
      Object[] chain = null;
      for (int length = 2_000; length > 1; length /= 16) {
        try {
          while (true) {
            Object[] next = new Object[1 + random.nextInt(length)];
            next[0] = chain;
            chain = next;
          }
        } catch (OutOfMemoryError e) {
          // Smaller pieces still fit.
        }
      }
      filling = chain;
      int before = steps.get();
      for (int spins = 0; spins < 3_000_000 && steps.get() < before + 1_000; spins++) {
        Thread.onSpinWait();
      }
      filling = null;
    }

    /** Freed pages go back, and a grant's time runs out. */
    private void purgerGoesOn() {
      Block block = pool.tryAllocate(16 << 20);
      if (block == null) {
        throw new AssertionError(pool.snapshot().toString());
      }
      block.release();
      Await.until(() -> pool.dirtyBytes() == 0, () -> pool.snapshot() + allStacks());
      // A block may be lost, and is live then: the figures add up.
      pool.trim();
      Await.untilPasses(pool::checkInvariants);
    }

    private String allStacks() {
      StringBuilder text = new StringBuilder("a thread hangs:\n");
      Thread.getAllStackTraces()
          .forEach((thread, frames) -> {
            text.append(thread).append('\n');
            for (StackTraceElement frame : frames) {
              text.append("  ").append(frame).append('\n');
            }
          });
      return text.toString();
    }
  }
}
