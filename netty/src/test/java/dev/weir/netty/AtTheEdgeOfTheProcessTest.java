package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Buffers for threads that are not the program's own: the finalizer's, those of shutdown hooks. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AtTheEdgeOfTheProcessTest {
  private static final int OBJECTS = 40;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(8 << 20).withDecay(Duration.ofMillis(20)));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final AtomicInteger gone = new AtomicInteger();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  /** Takes buffers of every size, past the limit; one grows, and is known by what it holds. */
  static void useAll(WeirAllocator allocator) {
    ByteBuf kept = null;
    while (kept == null) {
      try {
        kept = allocator.directBuffer(64).writeLong(64);
      } catch (BudgetExceededError e) {
        // Others who do the same have filled the pool, and are about to release.
        Thread.yield();
      }
    }
    List<ByteBuf> buffers = new ArrayList<>();
    for (int bytes : new int[] {500_000, 65_536, 3_000}) {
      try {
        while (true) {
          buffers.add(allocator.directBuffer(bytes).writeZero(bytes));
        }
      } catch (BudgetExceededError full) {
        // As far as that: next come smaller ones.
      }
    }
    buffers.forEach(ByteBuf::release);
    ByteBuf slice = kept.retainedSlice(0, Long.BYTES);
    if (slice.readLong() != 64 || slice.release() || !kept.release()) {
      throw new AssertionError(kept + " is not what it was");
    }
  }

  /** Allocates when it is finalized, and releases what somebody else has allocated. */
  private static final class Finalized {
    private final AtTheEdgeOfTheProcessTest test;
    private final ByteBuf buffer;

    Finalized(AtTheEdgeOfTheProcessTest test) {
      this.test = test;
      this.buffer = test.allocator.directBuffer(1_000);
    }

    @Override
    @SuppressWarnings({"removal", "Finalize"}) // what is tested
    protected void finalize() {
      try {
        buffer.release();
        useAll(test.allocator);
      } catch (Throwable e) {
        test.failures.add(e);
      } finally {
        test.gone.incrementAndGet();
      }
    }
  }

  @Test
  void buffersFromFinalizers() {
    for (int i = 0; i < OBJECTS; i++) {
      new Finalized(this);
    }
    AtomicInteger looks = new AtomicInteger();
    await(() -> {
      // Each collection stops the finalizer's thread, which needs time between two.
      if (looks.getAndIncrement() % 100 == 0) {
        System.gc();
      }
      return gone.get() == OBJECTS;
    });
    assertThat(failures).isEmpty();
    await(() -> pool.residentBytes() == 0 && pool.snapshot().ownedHeaps() == 0);
    pool.checkInvariants();
    allocator.close();
    pool.close();
  }

  private void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime())
          .as("%d of %d gone%n%s", gone.get(), OBJECTS, pool.snapshot())
          .isLessThan(deadlineNanos);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void buffersFromShutdownHooks(@TempDir Path directory) throws Exception {
    Path told = directory.resolve("told");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Hooked.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(told.toFile())
            .start();
    boolean ended;
    try {
      ended = process.waitFor(1, TimeUnit.MINUTES);
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(told);
    assertThat(ended).as("ended by itself%n%s", output).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    for (String line :
        List.of(
            "main has ended",
            "an allocator in use serves",
            "an allocator in use serves a thread of Netty's",
            "an allocator that comes to life serves",
            "a closed allocator refuses")) {
      assertThat(output.lines()).contains(line);
    }
    assertThat(output).doesNotContain("Exception").doesNotContain("Error").doesNotContain("LEAK");
  }

  /** The program of the process that is shut down: its hooks run at once, and race. */
  static final class Hooked {
    private Hooked() {}

    public static void main(String[] arguments) {
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
      WeirAllocator used = WeirAllocator.withLimit(4 << 20);
      ByteBuf buffer = used.directBuffer(100_000).writeLong(7);
      WeirAllocator closed = WeirAllocator.withLimit(4 << 20);
      ByteBuf outlives = closed.directBuffer(100).writeLong(8);
      closed.close();
      WeirAllocator unused = WeirAllocator.withLimit(4 << 20);
      for (int i = 0; i < 4; i++) {
        hook(new Thread(tellingOf("an allocator in use serves", () -> useAll(used))));
        hook(
            new FastThreadLocalThread(
                tellingOf("an allocator in use serves a thread of Netty's", () -> useAll(used))));
      }
      hook(new Thread(tellingOf("an allocator that comes to life serves", () -> useAll(unused))));
      hook(
          new Thread(
              tellingOf("a closed allocator refuses", () -> refuses(closed, buffer, outlives))));
      System.out.println("main has ended");
    }

    private static void refuses(WeirAllocator closed, ByteBuf buffer, ByteBuf outlives) {
      try {
        closed.directBuffer(1);
      } catch (IllegalStateException expected) {
        if (buffer.readLong() != 7 || outlives.readLong() != 8) {
          throw new AssertionError("contents are lost");
        }
        buffer.release();
        outlives.release();
        return;
      }
      throw new AssertionError("a closed allocator allocates");
    }

    private static Runnable tellingOf(String what, Runnable work) {
      return () -> {
        work.run();
        System.out.println(what);
      };
    }

    private static void hook(Thread thread) {
      Runtime.getRuntime().addShutdownHook(thread);
    }
  }
}
