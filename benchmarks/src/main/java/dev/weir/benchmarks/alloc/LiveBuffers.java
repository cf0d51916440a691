package dev.weir.benchmarks.alloc;

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

/** Many buffers stay live; each step releases one and allocates another in its place. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LiveBuffers {
  private static final long SEED = 0x9E3779B97F4A7C15L;

  /** A {@link Peer}'s label. */
  @Param("weir")
  public String allocator;

  /** The capacity of each buffer; the largest one where capacities are random. */
  @Param("256")
  public int bytes;

  /** How many buffers are live; a power of two. */
  @Param("1024")
  public int live;

  private ByteBufAllocator buffers;
  private ByteBuf[] ring;
  private int step;
  private long random = SEED;

  /** Made by JMH. */
  public LiveBuffers() {}

  /** Makes the allocator and fills the ring. */
  @Setup
  public void fill() {
    buffers = Peer.of(allocator).create();
    ring = new ByteBuf[live];
    SplittableRandom sizes = new SplittableRandom(SEED);
    for (int i = 0; i < live; i++) {
      ring[i] = buffers.directBuffer(1 + sizes.nextInt(bytes));
    }
  }

  /** Releases what is live. */
  @TearDown
  public void drain() {
    for (ByteBuf buffer : ring) {
      buffer.release();
    }
  }

  /** The oldest goes, one of the same capacity comes. */
  @Benchmark
  public void ring() {
    replace(step++ & (live - 1), bytes);
  }

  /** Any one goes, one of random capacity from 1 to {@code bytes} comes. */
  @Benchmark
  public void random() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    int victim = (int) (random >>> 40) & (live - 1);
    int capacity = 1 + (int) (((random & 0xFFFFFFFFL) * bytes) >>> 32);
    replace(victim, capacity);
  }

  private void replace(int index, int capacity) {
    ring[index].release();
    ring[index] = buffers.directBuffer(capacity);
  }
}
