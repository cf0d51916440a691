package dev.weir.benchmarks.grow;

import dev.weir.benchmarks.harness.Figures;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.peer.Buffers;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.lab.memory.AddressRange;
import dev.weir.lab.memory.ProcessRss;
import dev.weir.lab.memory.Smaps;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A buffer that begins with 256 bytes and grows by what is written to it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GrowBenchmark {
  private static final int FIRST_BYTES = 256;

  /** What a read from a socket brings. */
  private static final int CHUNK_BYTES = 8 << 10;

  /** A {@link Peer}'s label. */
  @Param("weir")
  public String allocator;

  /** How much is written, in MiB. */
  @Param("64")
  public int contentMiB;

  private final byte[] chunk = new byte[CHUNK_BYTES];
  private Buffers<Object> buffers;
  private long rssBefore;

  /** Made by JMH. */
  public GrowBenchmark() {}

  /**
   * Makes the allocator.
   *
   * @throws IOException if the system does not tell this process's memory
   */
  @Setup
  @SuppressWarnings("unchecked") // Only what came from the allocator goes back to it.
  public void makeAllocator() throws IOException {
    rssBefore = ProcessRss.anonymousBytes();
    buffers = (Buffers<Object>) Peer.of(allocator).buffers();
  }

  /**
   * Grows one more buffer, and looks at what the kernel counts at its end.
   *
   * @throws IOException if that cannot be read or reported
   */
  @TearDown
  public void look() throws IOException {
    Object buffer = grow();
    double grownBytes = ProcessRss.anonymousBytes() - rssBefore;
    if (Peer.of(allocator) != Peer.HARNESS) {
      Figures.report(Metric.RSS_BYTES, grownBytes);
    }
    Optional<AddressRange> pool = buffers.addresses();
    if (pool.isPresent()) {
      double poolBytes = new Smaps().rssBytes(pool.get());
      Figures.report(Metric.POOL_RSS_BYTES, poolBytes);
    }
    buffers.release(buffer);
  }

  /** One buffer from its first byte to its release. */
  @Benchmark
  public void growAndRelease() {
    buffers.release(grow());
  }

  private Object grow() {
    Object buffer = buffers.allocate(FIRST_BYTES);
    int chunks = (contentMiB << 20) / CHUNK_BYTES;
    for (int i = 0; i < chunks; i++) {
      buffers.append(buffer, chunk);
    }
    return buffer;
  }
}
