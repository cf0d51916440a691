package dev.weir.benchmarks.written;

import dev.weir.benchmarks.harness.EventLoopThreads;
import dev.weir.benchmarks.harness.Figures;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.ProgramRun;
import dev.weir.benchmarks.peer.Buffers;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.lab.memory.ProcessRss;
import dev.weir.lab.memory.RangeRss;
import dev.weir.lab.memory.ThreadFaults;
import dev.weir.memory.Pool;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * The process that measures: one workload with one peer on one event loop. Its main thread only
 * waits for the loop.
 *
 * <p>It warms up, takes the time of all operations together, then of each, releases all buffers but
 * a tenth, and looks at what is resident when nothing has happened for a while.
 */
public final class WrittenChild {
  /** A limit that the largest workload keeps well away from. */
  private static final long POOL_BYTES = 1L << 30;

  private static final int PRELUDE_STEPS = 50_000;
  private static final int PRELUDE_LIVE = 64;
  private static final int WARM_UP_BURSTS = 2_000;
  private static final int BURSTS = 100;
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final double SHARE = 0.999;

  private final EventLoop loop = new EventLoopThreads(1, "written").next();
  private final Workload workload;
  private final Latencies latencies = new Latencies();
  private final Buffers<?> peer;
  private final WrittenBuffers buffers;

  private WrittenChild(Peer of, Workload workload) throws Exception {
    this.workload = workload;
    peer = onLoop(() -> of.buffers(POOL_BYTES));
    buffers = new WrittenBuffers(peer, workload.sizes(), workload.live());
  }

  /** Runs as {@link ProgramRun} says; an iteration is how long it is idle at the end. */
  public static void main(String[] arguments) {
    ProgramRun.serve(
        arguments,
        (peer, parameters, idle) ->
            new WrittenChild(peer, Workload.of(parameters.get(Workload.WORKLOAD))).run(idle));
  }

  private void run(Duration idle) throws Exception {
    onLoop(this::prelude);
    if (workload == Workload.BURSTS) {
      runBursts();
    } else {
      runReplacements();
    }
    onLoop(() -> {
      buffers.keepATenth();
      return null;
    });
    pause(idle);
    Figures.report(Metric.IDLE_RSS_BYTES, (double) ProcessRss.anonymousBytes());
    if (peer.pool().isPresent()) {
      Figures.report(Metric.IDLE_EXCESS_BYTES, excessBytes(peer.pool().get()));
    }
  }

  /** The pool's own pages count, not the bytes of its blocks. */
  private double excessBytes(Pool pool) throws Exception {
    long residentBytes = new RangeRss().bytes(peer.addresses().orElseThrow());
    return Math.max(0, residentBytes - pool.snapshot().liveBytes());
  }

  /** Lets the compilers see every method often enough, also where a workload has few operations. */
  private int prelude() {
    WrittenBuffers few = new WrittenBuffers(peer, "1..4K", PRELUDE_LIVE);
    few.fill();
    few.replace(PRELUDE_STEPS);
    few.replaceTimed(PRELUDE_STEPS, new Latencies());
    few.drain();
    return few.sum();
  }

  private void runReplacements() throws Exception {
    int operations = workload.operations();
    onLoop(() -> {
      buffers.fill();
      buffers.replace(operations / 2);
      buffers.replaceTimed(operations / 2, new Latencies());
      return buffers.sum();
    });
    PeakRss peak = PeakRss.start();
    onLoop(() -> {
      long faultsBefore = ThreadFaults.minor();
      long startNanos = System.nanoTime();
      buffers.replace(operations);
      report(System.nanoTime() - startNanos, ThreadFaults.minor() - faultsBefore);
      buffers.replaceTimed(operations / 2, latencies);
      return buffers.sum();
    });
    report(peak);
  }

  /** Nothing is to happen meanwhile: nobody wakes this thread. */
  private static void pause(Duration length) {
    long end = System.nanoTime() + length.toNanos();
    for (long left = length.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void runBursts() throws Exception {
    onLoop(() -> {
      for (int burst = 0; burst < WARM_UP_BURSTS; burst++) {
        buffers.fillTimed(new Latencies());
        buffers.drain();
      }
      return buffers.sum();
    });
    PeakRss peak = PeakRss.start();
    long faultsBefore = onLoop(ThreadFaults::minor);
    long nanos = 0;
    for (int burst = 0; burst < BURSTS; burst++) {
      pause(PAUSE);
      nanos += onLoop(this::burst);
    }
    report(nanos, onLoop(ThreadFaults::minor) - faultsBefore);
    report(peak);
    onLoop(() -> {
      buffers.fill();
      return buffers.sum();
    });
  }

  /** A burst, and the time that it takes. */
  private long burst() {
    long startNanos = System.nanoTime();
    buffers.fillTimed(latencies);
    buffers.drain();
    return System.nanoTime() - startNanos;
  }

  private void report(long nanos, long faults) throws Exception {
    Figures.report(Metric.NS_PER_OP, (double) nanos / workload.operations());
    Figures.report(Metric.FAULTS_PER_THOUSAND, 1000.0 * faults / workload.operations());
  }

  private void report(PeakRss peak) throws Exception {
    Figures.report(Metric.PEAK_RSS_BYTES, (double) peak.end());
    Figures.report(Metric.P999_NS, latencies.quantile(SHARE));
  }

  private <T> T onLoop(Callable<T> task) throws Exception {
    return loop.submit(task).get();
  }
}
