package dev.weir.benchmarks.crossthread;

import dev.weir.benchmarks.harness.Processors;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.pattern.SizeMix;
import dev.weir.benchmarks.peer.Buffers;
import dev.weir.benchmarks.peer.Peer;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
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
 * Buffers that JMH's thread allocates and another one releases, each on a processor of its own
 * where there are two.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CrossThreadBenchmark {
  /** Long against the moment at the end of a batch in which the producer waits. */
  private static final int BATCH = 20_000;

  /**
   * How long a thread waits after a look in vain. Each look takes the cache line of the queue's
   * other end away from the thread that works there, which then waits for it at its next atomic
   * operation: so it is looked for again when there are some dozen buffers.
   */
  private static final long PAUSE_NANOS = 1_000;

  /**
   * After so many looks in vain a thread gives its processor away, to whatever else is to run
   * there: the other one has its own.
   */
  private static final int LOOKS_APART = 100;

  /** After so many where the two may share a processor: to look again is in vain. */
  private static final int LOOKS_TOGETHER = 1;

  /** A {@link Peer}'s label. */
  @Param("weir")
  public String allocator;

  /** A {@link SizeMix} as text. */
  @Param("256")
  public String sizes;

  /** The most buffers on their way at a time; a power of two. */
  @Param("1024")
  public int queue;

  /** Whether a byte of each page of a buffer is written, before it is handed over. */
  @Param("no")
  public String touch;

  private Buffers<Object> buffers;
  private SizeMix mix;
  private HandOffQueue handOff;
  private Future<?> consumer;
  private boolean touched;
  private int looks;
  private volatile boolean closed;

  /** Made by JMH. */
  public CrossThreadBenchmark() {}

  /** Makes the allocator and starts the thread that releases, of the same kind as this one. */
  @Setup
  @SuppressWarnings("unchecked") // Only what came from the allocator goes back to it.
  public void start() {
    buffers = (Buffers<Object>) Peer.of(allocator).buffers();
    mix = SizeMix.of(sizes, 1);
    touched = touch.equals("yes");
    handOff = new HandOffQueue(queue);
    List<Integer> processors = Processors.coresFirst();
    boolean apart = processors.size() > 1;
    looks = apart ? LOOKS_APART : LOOKS_TOGETHER;
    consumer =
        ThreadKind.current()
            .start(() -> {
              if (apart) {
                Processors.stayOn(processors.get(1));
              }
              consume();
            });
    if (apart) {
      // Last: what this thread starts from now on stays there too.
      Processors.stayOn(processors.get(0));
    }
  }

  /**
   * Ends that thread.
   *
   * @throws InterruptedException if this one is to end at once
   * @throws ExecutionException if that one failed
   */
  @TearDown
  public void stop() throws InterruptedException, ExecutionException {
    closed = true;
    consumer.get();
  }

  /** A batch of buffers, until the last is released. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void handOver() {
    for (int i = 0; i < BATCH; i++) {
      int bytes = mix.next();
      Object buffer = buffers.allocate(bytes);
      if (touched) {
        buffers.touch(buffer, bytes);
      }
      for (int look = 1; !handOff.offer(buffer); look++) {
        pause(look);
      }
    }
    for (int look = 1; !handOff.isDrained(); look++) {
      pause(look);
    }
  }

  private void consume() {
    int look = 0;
    while (!closed) {
      Object buffer = handOff.poll();
      if (buffer != null) {
        buffers.release(buffer);
        look = 0;
      } else {
        pause(++look);
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // What else is there to do on one core?
  private void pause(int look) {
    if (look % looks == 0) {
      Thread.yield();
      return;
    }
    long start = System.nanoTime();
    while (System.nanoTime() - start < PAUSE_NANOS) {
      Thread.onSpinWait();
    }
  }
}
