package dev.weir.benchmarks.alloc;

import dev.weir.benchmarks.peer.Peer;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A buffer that is released as soon as it is allocated. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AllocateRelease {
  /** A {@link Peer}'s label. */
  @Param("weir")
  public String allocator;

  /** The capacity of each buffer. */
  @Param("256")
  public int bytes;

  private ByteBufAllocator buffers;

  /** Made by JMH. */
  public AllocateRelease() {}

  /** Makes the allocator. */
  @Setup
  public void makeAllocator() {
    buffers = Peer.of(allocator).create();
  }

  /** One buffer. */
  @Benchmark
  public boolean allocateRelease() {
    return buffers.directBuffer(bytes).release();
  }
}
