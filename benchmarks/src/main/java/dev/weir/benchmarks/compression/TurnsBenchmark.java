package dev.weir.benchmarks.compression;

import dev.weir.benchmarks.harness.Figures;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.peer.Peer;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
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

/**
 * A way beside the bare library that it goes through, in turns of a millisecond or two within one
 * JVM: between JVMs the library alone differs by more than Weir adds, by where its tables lie.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TurnsBenchmark {
  /** So much content is a turn, at least one. */
  private static final int TURN_BYTES = 1 << 20;

  /** A {@link Peer}'s label: Weir's. */
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

  private final LongStream.Builder wayNanos = LongStream.builder();
  private final LongStream.Builder bareNanos = LongStream.builder();
  private Operation measured;
  private Operation bare;
  private boolean counts;

  /** Made by JMH. */
  public TurnsBenchmark() {}

  /** Makes both sides. */
  @Setup
  public void make() {
    byte[] text = JsonText.of(contentBytes);
    Way wanted = Way.of(way);
    measured = Operation.of(wanted, Peer.of(allocator), text, writeBytes);
    bare = Operation.of(wanted.bare(), Peer.of(allocator), text, writeBytes);
  }

  /** Leaves out what is warm-up. */
  @Setup(Level.Iteration)
  public void begin(IterationParams iteration) {
    counts = iteration.getType() == IterationType.MEASUREMENT;
  }

  /**
   * A turn of each.
   *
   * @return the length of what they compressed
   */
  @Benchmark
  public long turns() {
    return turn(bare, bareNanos) + turn(measured, wayNanos);
  }

  private long turn(Operation operation, LongStream.Builder nanos) {
    long bytes = 0;
    long begun = System.nanoTime();
    for (int done = 0; done == 0 || done < TURN_BYTES; done += contentBytes) {
      bytes += operation.run();
    }
    if (counts) {
      nanos.add(System.nanoTime() - begun);
    }
    return bytes;
  }

  /**
   * Reports the ratio of the medians.
   *
   * @throws IOException if it cannot be written
   */
  @TearDown
  public void report() throws IOException {
    Figures.report(
        Metric.PERCENT_OF_LIBRARY, 100 * median(wayNanos.build()) / median(bareNanos.build()));
  }

  private static double median(LongStream nanos) {
    long[] sorted = nanos.sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalStateException("no turn was measured: " + Arrays.toString(sorted));
    }
    return sorted[sorted.length / 2];
  }
}
