package dev.weir.benchmarks.heapbuffers;

import dev.weir.benchmarks.pattern.SizeMix;
import dev.weir.benchmarks.peer.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.SplittableRandom;
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

/** Any of the live heap buffers goes, a new one comes, on one thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HeapBuffersBenchmark {
  /** A {@link Peer}'s label. */
  @Param("weir")
  public String allocator;

  /** A {@link SizeMix} as text. */
  @Param("1K")
  public String sizes;

  /** How many buffers are live. */
  @Param("1024")
  public int live;

  /** Whether every byte of a buffer is written. */
  @Param("yes")
  public String written;

  private final SplittableRandom random = new SplittableRandom(1);
  private final byte[] contents = new byte[SizeMix.MAX_BYTES];
  private ByteBufAllocator heap;
  private SizeMix mix;
  private ByteBuf[] buffers;
  private boolean writes;

  /** Made by JMH. */
  public HeapBuffersBenchmark() {}

  /** Fills what is live. */
  @Setup
  public void fill() {
    heap = Peer.of(allocator).allocator();
    mix = SizeMix.of(sizes, 1);
    writes = written.equals("yes");
    buffers = new ByteBuf[live];
    for (int i = 0; i < live; i++) {
      buffers[i] = next();
    }
  }

  private ByteBuf next() {
    int bytes = mix.next();
    ByteBuf buffer = heap.heapBuffer(bytes);
    return writes ? buffer.writeBytes(contents, 0, bytes) : buffer;
  }

  /** One operation. */
  @Benchmark
  public void replace() {
    int victim = random.nextInt(live);
    buffers[victim].release();
    buffers[victim] = next();
  }

  /** Releases what is live. */
  @TearDown
  public void drain() {
    for (ByteBuf buffer : buffers) {
      buffer.release();
    }
  }
}
