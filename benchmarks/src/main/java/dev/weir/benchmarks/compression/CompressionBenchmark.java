package dev.weir.benchmarks.compression;

import com.sun.management.ThreadMXBean;
import dev.weir.benchmarks.harness.ClassHistogram;
import dev.weir.benchmarks.harness.CollectorTime;
import dev.weir.benchmarks.harness.Figures;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.peer.Peer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
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
import org.openjdk.jmh.runner.IterationType;

/** Contents of JSON, compressed at level 3 of zstd. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CompressionBenchmark {
  /** A {@link Peer}'s label: Weir's or one of Netty's. */
  @Param("weir")
  public String allocator;

  /** A {@link Way}'s label. */
  @Param("response-jni")
  public String way;

  /** How long a content is. */
  @Param("20000")
  public int contentBytes;

  /** How long the writes are that it comes in. */
  @Param("65536")
  public int writeBytes;

  private final CollectorTime collector = new CollectorTime();
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private Operation operation;
  private long operations;
  private long operationsBefore;
  private long heapBytesBefore;
  private long countedOperations;
  private long countedHeapBytes;

  /** Made by JMH. */
  public CompressionBenchmark() {}

  /** Makes what is measured. */
  @Setup
  public void make() {
    operation =
        Operation.of(Way.of(way), Peer.of(allocator), JsonText.of(contentBytes), writeBytes);
  }

  /**
   * Looks at the collector before an iteration that counts, and at what this thread has allocated:
   * beside an operation that takes half a millisecond, the harness allocates more than it does.
   *
   * @throws IOException if the kernel does not tell
   */
  @Setup(Level.Iteration)
  public void beginIteration(IterationParams iteration) throws IOException {
    if (iteration.getType() == IterationType.MEASUREMENT) {
      operationsBefore = operations;
      heapBytesBefore = threads.getCurrentThreadAllocatedBytes();
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
      countedHeapBytes += threads.getCurrentThreadAllocatedBytes() - heapBytesBefore;
      countedOperations += operations - operationsBefore;
    }
  }

  /**
   * Reports what is no time.
   *
   * @throws IOException if that cannot be written
   * @throws JMException if the JVM does not tell what is on its heap
   */
  @TearDown
  public void report() throws IOException, JMException {
    Figures.report(Metric.COMPRESSED_BYTES, (double) operation.run());
    Figures.report(Metric.GC_NS_PER_OP, collector.share());
    Figures.report(Metric.HEAP_BYTES_PER_OP, (double) countedHeapBytes / countedOperations);
    Figures.report(
        Metric.FINALIZERS, (double) ClassHistogram.take().instances("java.lang.ref.Finalizer"));
  }

  /**
   * One content.
   *
   * @return its length, compressed
   */
  @Benchmark
  public long compress() {
    operations++;
    return operation.run();
  }
}
