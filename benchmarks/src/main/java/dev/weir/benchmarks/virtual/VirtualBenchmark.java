package dev.weir.benchmarks.virtual;

import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.pattern.PatternRun;
import dev.weir.benchmarks.pattern.SizeMix;
import dev.weir.benchmarks.peer.Buffers;
import dev.weir.benchmarks.peer.Peer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Patterns on 64 virtual threads at once. Each invocation starts them anew, as a service starts one
 * for each request, and each gives its carrier away now and then, as it would to wait for a peer.
 * What is live stays live in between, so that buffers are released by other carriers than those
 * that allocated them.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class VirtualBenchmark {
  /** How many virtual threads there are. */
  static final int THREADS = 64;

  private static final int TURNS = 8;
  private static final int STEPS_PER_TURN = 256;

  /** A {@link Peer}'s label. */
  @Param("weir")
  public String allocator;

  /** An {@link AllocPattern}'s label. */
  @Param("allocate-release")
  public String pattern;

  /** A {@link SizeMix} as text. */
  @Param("256")
  public String sizes;

  /** How many buffers each thread keeps live. */
  @Param("16")
  public int live;

  /** Whether a byte of each page of a buffer is written. */
  @Param("no")
  public String touch;

  private final PatternRun[] runs = new PatternRun[THREADS];
  private final Thread[] threads = new Thread[THREADS];

  /** Made by JMH. */
  public VirtualBenchmark() {}

  /** Makes the allocator and fills the patterns. */
  @Setup
  public void fill() {
    Buffers<?> buffers = Peer.of(allocator).buffers();
    for (int i = 0; i < THREADS; i++) {
      runs[i] =
          AllocPattern.of(pattern)
              .start(buffers, SizeMix.of(sizes, i), touch.equals("yes"), live, i);
    }
  }

  /** Releases what is live. */
  @TearDown
  public void drain() {
    for (PatternRun run : runs) {
      run.drain();
    }
  }

  /**
   * All threads from their start to their end.
   *
   * @throws InterruptedException if this thread is to end at once
   */
  @Benchmark
  @OperationsPerInvocation(THREADS * TURNS * STEPS_PER_TURN)
  public void run() throws InterruptedException {
    for (int i = 0; i < THREADS; i++) {
      PatternRun run = runs[i];
      threads[i] = Thread.startVirtualThread(() -> takeTurns(run));
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // It stands for a wait.
  private static void takeTurns(PatternRun run) {
    for (int turn = 0; turn < TURNS; turn++) {
      for (int step = 0; step < STEPS_PER_TURN; step++) {
        run.step();
      }
      Thread.yield();
    }
  }
}
