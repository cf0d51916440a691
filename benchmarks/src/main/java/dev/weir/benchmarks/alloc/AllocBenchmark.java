package dev.weir.benchmarks.alloc;

import dev.weir.benchmarks.harness.CollectorTime;
import dev.weir.benchmarks.harness.Figures;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.pattern.PatternRun;
import dev.weir.benchmarks.pattern.SizeMix;
import dev.weir.benchmarks.peer.Buffers;
import dev.weir.benchmarks.peer.Peer;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.infra.ThreadParams;
import org.openjdk.jmh.runner.IterationType;

/** A pattern of one allocator's buffers, on each of JMH's threads. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AllocBenchmark {
  /** How often each live buffer is replaced before its cost is taken. */
  private static final int STEPS_TO_SETTLE = 4;

  private static final int SMALL_BYTES = 256;

  /** Made by JMH. */
  public AllocBenchmark() {}

  /** The allocator, which all threads share. */
  @State(Scope.Benchmark)
  public static class Shared {
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
    @Param("1024")
    public int live;

    /** Whether a byte of each page of a buffer is written. */
    @Param("no")
    public String touch;

    /** How many event loops are alive, the measured one among them. */
    @Param("1")
    public int loops;

    private Buffers<?> buffers;
    private @Nullable IdleLoops idleLoops;
    private final CollectorTime collector = new CollectorTime();
    private long heapBytesBefore;

    /** Made by JMH. */
    public Shared() {}

    /** Makes the allocator, and the loops that know it. */
    @Setup
    public void makeAllocator() {
      buffers = Peer.of(allocator).buffers();
      if (loops > 1) {
        idleLoops = IdleLoops.start(loops - 1, buffers);
      }
      releaseOne(buffers);
      heapBytesBefore = JavaHeap.usedBytes();
    }

    /**
     * What the allocator has after its first buffer does not count as its live buffers' heap, nor
     * what the mix that the JVM is shown leaves behind: heap chunks in some allocators.
     */
    private static <B> void releaseOne(Buffers<B> buffers) {
      buffers.release(buffers.allocate(SMALL_BYTES));
    }

    /**
     * Looks at the collector before an iteration that counts.
     *
     * @throws IOException if the kernel does not tell
     */
    @Setup(Level.Iteration)
    public void beginIteration(IterationParams iteration) throws IOException {
      if (iteration.getType() == IterationType.MEASUREMENT) {
        collector.start();
      }
    }

    /**
     * And after it.
     *
     * @throws IOException if the kernel does not tell
     */
    @TearDown(Level.Iteration)
    public void endIteration(IterationParams iteration) throws IOException {
      if (iteration.getType() == IterationType.MEASUREMENT) {
        collector.stop();
      }
    }

    /** Ends the idle loops: JMH waits for the end of all threads. */
    @TearDown
    public void endLoops() {
      if (idleLoops != null) {
        idleLoops.end();
      }
    }

    /**
     * Tells what the collector took.
     *
     * @throws IOException if that cannot be reported
     */
    @TearDown
    public void tell() throws IOException {
      Figures.report(Metric.GC_NS_PER_OP, collector.share());
    }
  }

  /** The pattern of one thread. */
  @State(Scope.Thread)
  public static class OneThread {
    private PatternRun run;

    /** Made by JMH. */
    public OneThread() {}

    /**
     * Fills the pattern, and looks at what its live buffers cost in Java heap.
     *
     * @throws IOException if that cannot be reported
     */
    @Setup
    public void start(Shared shared, ThreadParams thread) throws IOException {
      AllocPattern pattern = AllocPattern.of(shared.pattern);
      long seed = thread.getThreadIndex() + 1L;
      run =
          pattern.start(
              shared.buffers,
              SizeMix.of(shared.sizes, seed),
              shared.touch.equals("yes"),
              shared.live,
              seed);
      if (pattern.keepsBuffers() && thread.getThreadCount() == 1) {
        for (int i = 0; i < STEPS_TO_SETTLE * shared.live; i++) {
          run.step();
        }
        double used = JavaHeap.usedBytes() - shared.heapBytesBefore;
        Figures.report(Metric.HEAP_BYTES_PER_BUFFER, used / shared.live);
      }
    }

    /** Releases what is live. */
    @TearDown
    public void drain() {
      run.drain();
    }
  }

  /** One operation. */
  @Benchmark
  public void step(OneThread thread) {
    thread.run.step();
  }
}
