package dev.weir.benchmarks.view;

import dev.weir.benchmarks.peer.Peer;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.view.MapWindow;
import dev.weir.memory.view.PoolView;
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

/** A look at a pool that is full of blocks of 1 byte to 1 KiB, and holes between them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ViewBenchmark {
  private static final int MAX_BYTES = 1024;

  /** What the console asks for. */
  private static final MapWindow WINDOW = MapWindow.everything(2048);

  /** A {@link Peer}'s label: Weir's. */
  @Param("weir")
  public String allocator;

  /** How many blocks are live. */
  @Param("1000000")
  public int blocks;

  private Pool pool;
  private Block[] live;

  /** Made by JMH. */
  public ViewBenchmark() {}

  /** Fills the pool. */
  @Setup
  public void fill() {
    if (Peer.of(allocator) != Peer.WEIR) {
      throw new IllegalArgumentException(allocator + " has no pages to look at");
    }
    SplittableRandom random = new SplittableRandom(1);
    pool = Pool.create(PoolOptions.withLimit(4L << 30));
    live = new Block[blocks];
    Block[] holes = new Block[blocks / 8];
    for (int i = 0; i < blocks; i++) {
      live[i] = pool.allocate(random.nextInt(1, MAX_BYTES + 1));
      if (i / 8 < holes.length && i % 8 == 0) {
        holes[i / 8] = pool.allocate(random.nextInt(1, MAX_BYTES + 1));
      }
    }
    for (Block hole : holes) {
      hole.release();
    }
  }

  /** Empties it. */
  @TearDown
  public void empty() {
    for (Block block : live) {
      block.release();
    }
    pool.close();
  }

  /** One look of many, with waste, classes, heaps, budgets and a map. */
  @Benchmark
  public PoolView look() {
    return pool.view(WINDOW);
  }

  /** The first look of a JVM: none of its code has run before. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  public PoolView firstLook() {
    return pool.view(WINDOW);
  }
}
