package dev.weir.benchmarks.hello;

import dev.weir.benchmarks.harness.Figures;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.lab.memory.ProcessRss;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * The first request on each of 16 event loops of an HTTP server that one other loop has warmed up:
 * all classes are loaded and all code is compiled; what comes is a thread, its loop and its memory.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LoopsBenchmark {
  private static final int LOOPS = 16;
  private static final int WARMUP_REQUESTS = 30_000;

  /** How long the compiler has to rest before it counts as done. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A {@link Peer}'s label. */
  @Param("weir")
  public String allocator;

  /** The server under load; there is one. */
  @Param("http-hello")
  public String server;

  private final List<HelloClient> clients = new ArrayList<>();
  private HelloServer hello;

  /** Made by JMH. */
  public LoopsBenchmark() {}

  /**
   * Starts the server and warms it up.
   *
   * @throws IOException if a connection breaks
   */
  @Setup
  public void warmUp() throws IOException {
    hello = new HelloServer(1 + LOOPS, Peer.of(allocator).allocator(), () -> new ChannelHandler[0]);
    HelloClient first = new HelloClient(hello.address(), /* depth= */ 1);
    clients.add(first);
    for (int i = 0; i < WARMUP_REQUESTS; i++) {
      first.greet();
    }
    awaitCompiler();
  }

  /**
   * Connects to each of the other loops and greets it once.
   *
   * @throws IOException if a connection breaks
   */
  @Benchmark
  @OperationsPerInvocation(LOOPS)
  public void greetEachLoop() throws IOException {
    long rssBefore = ProcessRss.anonymousBytes();
    for (int i = 0; i < LOOPS; i++) {
      HelloClient client = new HelloClient(hello.address(), /* depth= */ 1);
      clients.add(client);
      client.greet();
    }
    double grownBytes = ProcessRss.anonymousBytes() - rssBefore;
    if (hello.loopsUsed() != 1 + LOOPS) {
      throw new IllegalStateException("only " + hello.loopsUsed() + " event loops had a request");
    }
    Figures.report(Metric.RSS_BYTES_PER_LOOP, grownBytes / LOOPS);
  }

  /**
   * Ends the server.
   *
   * @throws IOException if a connection cannot be closed
   */
  @TearDown
  public void stop() throws IOException {
    for (HelloClient client : clients) {
      client.close();
    }
    hello.close();
  }

  private static void awaitCompiler() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    long compiledMillis = -1;
    while (compiler.getTotalCompilationTime() != compiledMillis) {
      compiledMillis = compiler.getTotalCompilationTime();
      long deadline = System.nanoTime() + QUIET_NANOS;
      while (System.nanoTime() < deadline) {
        LockSupport.parkNanos(deadline - System.nanoTime());
      }
    }
  }
}
